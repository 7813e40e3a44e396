/* A sweep: the points of a design space. */

const SWEEP_RESULTS = ["status", "npus", "wall_ps", "wall_s", "compute_ps", "cpu_ps", "exposed_local_memory_ps", "exposed_remote_memory_ps",
  "exposed_communication_ps", "waiting_ps", "idle_ps", "cost", "tokens_per_s", "samples_per_s", "model_flops_utilization", "memory_bytes",
  "events", "messages", "error", "point", "front", "pareto"];

/* The sweep's own data, if the result has them (the lines that a sweep keeps are points only). */
const aboutOf = (sweep) => sweep.sweep || {axes: [], columns: []};
const axesOf = (sweep) => sweep.sweep ? sweep.sweep.axes.map((axis) => axis.name)
  : Object.keys(sweep.points[0] || {}).filter((name) => !SWEEP_RESULTS.includes(name));

/* The number of a point by a name: an axis with a unit has it separately from the text. */
const makeNumberOf = (sweep) => {
  const values = new Map(aboutOf(sweep).axes.map((axis) => [axis.name, new Map(axis.values.map((each) => [each.label, each.value]))]));
  return (point, name) => typeof point[name] === "number" ? point[name] : values.has(name) ? values.get(name).get(point[name]) : undefined;
};

const numbersOf = (sweep, numberOf) => {
  const names = [...axesOf(sweep), ...SWEEP_RESULTS, ...aboutOf(sweep).columns.map((column) => column.name)];
  return [...new Set(names)].filter((name) => name !== "point" && sweep.points.some((point) => typeof numberOf(point, name) === "number"));
};

const formatOf = (name, sweep) => {
  const axis = aboutOf(sweep).axes.find((each) => each.name === name);
  const unit = axis ? axis.unit : null;
  return unit === "bytes/s" ? asBandwidth : unit === "bytes" ? asBytes : unit === "s" ? (value) => asTime(value * 1e12)
    : unit === "operations/s" ? (value) => asFlops(value) + "/s" : /_ps$/.test(name) ? asTime : /bytes$/.test(name) ? asBytes
      : (value) => asResult(name, value);
};
const labelOf = (name, sweep) => name === "cost" && aboutOf(sweep).cost ? "cost: " + cut(String(aboutOf(sweep).cost), 60) : (aboutOf(sweep).axes.find((axis) => axis.name === name) || {}).label ||
  (/_ps$|bytes/.test(name) || SWEEP_RESULTS.includes(name) ? asWords(name) : name);
const pointText = (point, axisNames, sweep) => "point " + point.point + ": " + axisNames.map((name) => labelOf(name, sweep) + " " + point[name]).join(", ") +
  "; " + asTime(point.wall_ps) + (point.cost !== undefined ? ", cost " + asCount(point.cost) : "");

const select = (label, names, value, change) => {
  const id = newId("choice");
  return [html("label", {for: id}, label + " "), html("select", {id, onchange: (event) => change(event.currentTarget.value)},
    names.map(([name, text]) => html("option", {value: name, selected: name === value}, text)))];
};

const sweepPlot = (sweep, axisNames, points) => {
  const numberOf = makeNumberOf(sweep), numbers = numbersOf(sweep, numberOf);
  const place = html("div");
  const priced = sweep.points.filter((point) => point.cost > 0 && point.wall_ps > 0);
  const ownCost = priced.some((point) => Math.abs(point.cost / point.wall_ps * priced[0].wall_ps / priced[0].cost - 1) > 1e-6);
  const of = {x: ownCost ? "cost" : numbers.includes("memory_bytes") && sweep.points.some((point) => point.memory_bytes > 0) ? "memory_bytes" : axisNames.find((name) => numbers.includes(name)) || "npus",
    y: "wall_ps", group: aboutOf(sweep).group_by || ""};
  const draw = () => {
    const shown = points().filter((point) => point.status === "ok" && typeof numberOf(point, of.x) === "number" && typeof numberOf(point, of.y) === "number");
    const groups = new Map();
    for (const point of shown) {
      const name = of.group ? labelOf(of.group, sweep) + " " + point[of.group] : "points";
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push({x: numberOf(point, of.x), y: numberOf(point, of.y), text: pointText(point, axisNames, sweep)});
    }
    place.replaceChildren(shown.length === 0 ? note("No point has both numbers.")
      : scatter(labelOf(of.y, sweep) + " by " + labelOf(of.x, sweep), [...groups].slice(0, 24).map(([name, list]) => ({name, points: list})),
        {label: labelOf(of.x, sweep), format: formatOf(of.x, sweep)}, {label: labelOf(of.y, sweep), format: formatOf(of.y, sweep)}, {fronts: true}));
  };
  const names = numbers.map((name) => [name, labelOf(name, sweep)]);
  const few = axisNames.filter((name) => new Set(sweep.points.map((point) => point[name])).size <= 24);
  draw();
  return {draw, node: html("div", {}, html("p", {class: "controls"},
    select("across", names, of.x, (value) => { of.x = value; draw(); }), select("up", names, of.y, (value) => { of.y = value; draw(); }),
    select("groups", [["", "none"], ...few.map((name) => [name, labelOf(name, sweep)])], of.group, (value) => { of.group = value; draw(); })), place)};
};

const sweepParts = (sweep) => {
  const axisNames = axesOf(sweep);
  const chosen = new Map();
  const points = () => sweep.points.filter((point) => [...chosen].every(([name, value]) => value === "" || String(point[name]) === value));
  const plot = sweepPlot(sweep, axisNames, points);
  const list = html("div");
  const columns = ["point", ...axisNames, "status", "wall_ps", "cost", "model_flops_utilization", "tokens_per_s", "memory_bytes",
    "exposed_communication_ps", "waiting_ps"].filter((name) => name === "point" || sweep.points.some((point) =>
    point[name] !== undefined && point[name] !== null && point[name] !== 0));
  const show = () => {
    const timeOf = (point) => point.status === "ok" && isNumber(point.wall_ps) ? point.wall_ps : Number.MAX_VALUE;
    const rows = points().slice().sort((a, b) => timeOf(a) - timeOf(b));
    const cost = aboutOf(sweep).cost;
    list.replaceChildren(note(rows.length + " of " + sweep.points.length + (sweep.points.length === 1 ? " point" : " points") + (rows.some((point) => point.pareto)
      ? "; marked are those to which no other point of their group is equal or better in both time and cost." : ".") + (cost && columns.includes("cost") ? " Cost: " + cost + "." : "")),
      table("Points, the fastest first", columns.map((name) => ({name, label: name === "cost" ? name : labelOf(name, sweep), left: isText(sweep.points, name),
        text: (value) => name === "point" ? asAny(value) : asResult(name, value)})),
      rows.map((point) => ({...point, mark: point.pareto})), {limit: 20}));
  };
  const filters = axisNames.map((name) => {
    const values = [...new Set(sweep.points.map((point) => String(point[name])))];
    return values.length > 1 && values.length <= 64 && html("span", {}, select(labelOf(name, sweep), [["", "all"], ...values.map((value) => [value, value])], "",
      (value) => {
        chosen.set(name, value);
        plot.draw();
        show();
      }));
  });
  show();
  const failed = sweep.points.filter((point) => point.status !== "ok");
  return [
    section("In short", facts([["points", String(sweep.points.length), sweep.points.length, "points"],
      ["ran", String(sweep.points.length - failed.length), sweep.points.length - failed.length, "ran"],
      ["failed", String(failed.length), failed.length, "failed"], ["varied", axisNames.map((name) => labelOf(name, sweep)).join(", ") || "nothing"]])),
    section("The design space", html("p", {class: "controls"}, filters), failed.length === sweep.points.length ? missing("no point ran")
      : [sweep.points.length > failed.length + 1 &&
        note("Lines join the Pareto front of a group: points that no other one beats in both numbers; less is better."), plot.node]),
    section("Points", list),
    failed.length > 0 && section("Points that failed", table("Points that failed", [{name: "point", label: "point", text: asAny},
      ...axisNames.map((name) => ({name, label: labelOf(name, sweep), left: isText(sweep.points, name)})), {name: "error", label: "why", left: true}], failed, {limit: 20}))];
};
