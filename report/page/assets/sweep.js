/* A sweep: the points of a design space. */

const SWEEP_RESULTS = ["status", "npus", "wall_ps", "wall_s", "compute_ps", "cpu_ps", "exposed_local_memory_ps", "exposed_remote_memory_ps",
  "exposed_communication_ps", "waiting_ps", "idle_ps", "cost", "tokens_per_s", "samples_per_s", "model_flops_utilization", "memory_bytes",
  "events", "messages", "error", "point", "front", "pareto"];

const axesOf = (sweep) => (sweep.axes ? sweep.axes.map((axis) => axis.name || axis.key || axis.path || axis)
  : Object.keys(sweep.points[0] || {}).filter((name) => !SWEEP_RESULTS.includes(name))).filter((name) => typeof name === "string");

const numbersOf = (sweep) => [...new Set(sweep.points.slice(0, 200).flatMap((point) => Object.keys(point)
  .filter((name) => typeof point[name] === "number" && name !== "point")))];

const formatOf = (name) => (value) => asResult(name, value);
const labelOf = (name) => name === "wall_ps" ? "job time" : /_ps$|bytes/.test(name) || SWEEP_RESULTS.includes(name) ? asWords(name) : name;
const pointText = (point, axisNames) => "point " + point.point + ": " + axisNames.map((name) => name + " " + point[name]).join(", ") +
  "; " + asTime(point.wall_ps) + (point.cost !== undefined ? ", cost " + asCount(point.cost) : "");

const select = (label, names, value, change) => {
  const id = newId("choice");
  return [html("label", {for: id}, label + " "), html("select", {id, onchange: (event) => change(event.currentTarget.value)},
    names.map(([name, text]) => html("option", {value: name, selected: name === value}, text)))];
};

const sweepPlot = (sweep, axisNames, points) => {
  const numbers = numbersOf(sweep);
  const place = html("div");
  const of = {x: numbers.includes("cost") ? "cost" : axisNames.find((name) => numbers.includes(name)) || "npus", y: "wall_ps",
    group: sweep.group_by || ""};
  const draw = () => {
    const shown = points().filter((point) => point.status === "ok" && typeof point[of.x] === "number" && typeof point[of.y] === "number");
    const groups = new Map();
    for (const point of shown) {
      const name = of.group ? of.group + " " + point[of.group] : "points";
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push({x: point[of.x], y: point[of.y], text: pointText(point, axisNames)});
    }
    place.replaceChildren(shown.length === 0 ? note("No point has both numbers.")
      : scatter(labelOf(of.y) + " by " + labelOf(of.x), [...groups].slice(0, 24).map(([name, list]) => ({name, points: list})),
        {label: labelOf(of.x), format: formatOf(of.x)}, {label: labelOf(of.y), format: formatOf(of.y)}, true));
  };
  const names = numbers.map((name) => [name, labelOf(name)]);
  const few = axisNames.filter((name) => new Set(sweep.points.map((point) => point[name])).size <= 24);
  draw();
  return {draw, node: html("div", {}, html("p", {class: "controls"},
    select("across", names, of.x, (value) => { of.x = value; draw(); }), select("up", names, of.y, (value) => { of.y = value; draw(); }),
    select("groups", [["", "none"], ...few.map((name) => [name, name])], of.group, (value) => { of.group = value; draw(); })), place)};
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
    const rows = points().slice().sort((a, b) => (a.status === "ok" ? a.wall_ps : Infinity) - (b.status === "ok" ? b.wall_ps : Infinity));
    list.replaceChildren(note(rows.length + " of " + sweep.points.length + " points."),
      table("Points, the fastest first", columns.map((name) => ({name, label: labelOf(name), left: axisNames.includes(name) || name === "status",
        text: (value) => name === "point" ? String(value) : asResult(name, value)})), rows, {limit: 20}));
  };
  const filters = axisNames.map((name) => {
    const values = [...new Set(sweep.points.map((point) => String(point[name])))];
    return values.length > 1 && values.length <= 64 && html("span", {}, select(name, [["", "all"], ...values.map((value) => [value, value])], "",
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
      ["failed", String(failed.length), failed.length, "failed"], ["varied", axisNames.join(", ") || "nothing"]])),
    section("The design space", html("p", {class: "controls"}, filters),
      note("Lines join the points of a group that no other of it beats in both numbers, both the less the better."), plot.node),
    section("Points", list),
    failed.length > 0 && section("Points that failed", table("Points that failed", [{name: "point", label: "point", text: String, left: true},
      ...axisNames.map((name) => ({name, label: name, left: true})), {name: "error", label: "why", left: true}], failed, {limit: 20}))];
};
