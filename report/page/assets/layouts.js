/* A search for layouts: what was simulated, and the best for each number of tensor ranks and stages. */

const LAYOUT_SHARES = [["compute", "compute"], ["recomputed", "cpu"], ["exchange", "communication"], ["bubble", "waiting"], ["weights", "remote"]];
const LAYOUT_NUMBERS = ["time_s", "memory_bytes", "tokens_per_s", "model_flops_utilization", "cost", "days", "kwh", "energy_dollars", "npus", "batch",
  "tensor", "context", "expert", "pipeline", "chunks", "data", "micro_batch", "zero", "bubble", "exchange"];
const LAYOUT_COLUMNS = ["layout", "of", "estimated_ps", "simulated_ps", "memory_bytes", "tokens_per_s", "model_flops_utilization", "cost", "why"];
const layoutName = (row) => (row.of ? row.of + ": " : "") + row.layout;
const layoutNumbers = (rows) => LAYOUT_NUMBERS.filter((name) => new Set(rows.map((row) => row[name]).filter(isNumber)).size > 1);
const layoutAxis = (name) => ({label: asWords(name), format: (value) => asResult(name, value)});

const layoutPlot = (rows) => {
  const names = layoutNumbers(rows).map((name) => [name, asWords(name)]);
  const has = (name) => names.some(([each]) => each === name);
  const of = {x: has("cost") ? "cost" : has("memory_bytes") ? "memory_bytes" : (names[0] || ["time_s"])[0], y: "time_s"};
  const place = html("div");
  const draw = () => {
    const groups = new Map();
    for (const row of rows.filter((each) => isNumber(each[of.x]) && isNumber(each[of.y]))) {
      const name = row.of || "layouts";
      groups.set(name, [...(groups.get(name) || []), {x: row[of.x], y: row[of.y], text: layoutName(row) + ": " + row.why}]);
    }
    place.replaceChildren(scatter(asWords(of.y) + " by " + asWords(of.x), [...groups].slice(0, 24).map(([name, points]) => ({name, points})),
      layoutAxis(of.x), layoutAxis(of.y), {fronts: true}));
  };
  draw();
  return [html("p", {class: "controls"}, select("across", names, of.x, (value) => { of.x = value; draw(); }),
    select("up", names, of.y, (value) => { of.y = value; draw(); })), place];
};

/* A line a layout through its numbers, each scaled from the least to the most. */
const layoutLines = (rows) => {
  const names = layoutNumbers(rows).slice(0, 9);
  if (names.length < 2) return null;
  const height = 300, top = 24, bottom = height - 40, gap = (WIDTH - 120) / (names.length - 1);
  const span = names.map((name) => {
    const values = rows.map((row) => row[name]).filter(isNumber);
    return [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  });
  const at = (row, i) => bottom - (row[names[i]] - span[i][0]) / (span[i][1] - span[i][0]) * (bottom - top);
  const path = (row) => names.map((name, i) => isNumber(row[name]) ? (i === 0 ? "M" : "L") + (60 + i * gap).toFixed(1) + " " + at(row, i).toFixed(1) : "").join("");
  return figure("What the layouts have: a line each, the best one thick", picture(height, "Parallel coordinates of the layouts",
    names.map((name, i) => [svg("line", {x1: 60 + i * gap, x2: 60 + i * gap, y1: top, y2: bottom, class: "grid"}),
      textAt(60 + i * gap, height - 8, asWords(name), {"text-anchor": "middle", class: "small"}),
      textAt(60 + i * gap, top - 8, asResult(name, span[i][1]), {"text-anchor": "middle", class: "small"}),
      textAt(60 + i * gap, bottom + 14, asResult(name, span[i][0]), {"text-anchor": "middle", class: "small"})]),
    rows.map((row, i) => svg("path", {class: "line stroke-" + (i === 0 ? "communication" : "idle"), "stroke-width": i === 0 ? 3 : 1, d: path(row)},
      svg("title", {}, layoutName(row)))).reverse()));
};

/* Tensor ranks across, stages up: the best of each cell, darker where it is faster. */
const layoutMap = (cells) => {
  const sorted = (name) => [...new Set(cells.map((cell) => cell[name]))].sort((a, b) => a - b);
  const across = sorted("tensor"), up = sorted("pipeline"), left = 90, top = 24, wide = Math.min(110, (WIDTH - left - 20) / across.length), high = 30;
  const rates = cells.map((cell) => 1 / cell.time_s), max = Math.max(...rates), min = Math.min(...rates);
  const level = (cell) => max > min ? Math.round(Math.log(max * cell.time_s) / Math.log(max / min) * -8) + 8 : 8;
  return picture(top + up.length * high + 40, "The best time by tensor-parallel ranks and stages", cells.map((cell) => {
    const x = left + across.indexOf(cell.tensor) * wide, y = top + up.indexOf(cell.pipeline) * high;
    return [svg("rect", {x, y, width: wide - 2, height: high - 2, class: "heat-" + level(cell)}, svg("title", {}, cell.layout + ": " + asTime(cell.time_s * 1e12) +
      ", " + asBytes(cell.memory_bytes))),
    textAt(x + wide / 2, y + high / 2, asTime(cell.time_s * 1e12), {"text-anchor": "middle", "dominant-baseline": "central",
      class: "small", style: level(cell) > 3 ? "fill:#fff" : "fill:#000", "pointer-events": "none"})];
  }), across.map((value, i) => textAt(left + (i + 0.5) * wide, top - 8, String(value), {"text-anchor": "middle", class: "small"})),
  up.map((value, i) => textAt(left - 8, top + (i + 0.5) * high, String(value), {"text-anchor": "end", "dominant-baseline": "central", class: "small"})),
  textAt(left + across.length * wide / 2, top + up.length * high + 28, "tensor-parallel ranks", {"text-anchor": "middle"}),
  svg("text", {transform: "translate(20 " + (top + up.length * high / 2) + ") rotate(-90)", "text-anchor": "middle"}, "stages"));
};

const layoutMaps = (search) => {
  const names = [...new Set((search.map || []).map((cell) => cell.of || ""))];
  const place = html("div");
  const show = (name) => place.replaceChildren(figure("The best estimated time", layoutMap(search.map.filter((cell) => (cell.of || "") === name)),
    anyTable("The best estimated time", search.map.filter((cell) => (cell.of || "") === name), {limit: 25})));
  if (names.length === 0) return null;
  show(names[0]);
  return section("By tensor ranks and stages", names.length > 1 && html("p", {class: "controls"}, select("of", names.map((name) => [name, name]), names[0], show)), place);
};

const layoutsParts = (search) => {
  const rows = search.best, best = rows[0], held = (search.limits || []).filter((limit) => limit.gain > 0);
  return [
    section("In short", facts([["the best", layoutName(best)], factOf(best, "simulated_ps", "a step"), factOf(best, "tokens_per_s"), factOf(best, "memory_bytes"),
      factOf(best, "model_flops_utilization"), best.cost && factOf(best, "cost", "dollars"), best.days && factOf(best, "days"),
      search.low_ps && ["80 % interval", asTime(search.low_ps) + " to " + asTime(search.high_ps)], factOf(search, "estimates", "layouts that fit"),
      factOf(search, "too_large", "layouts too large")].filter(Boolean)),
    held.map((limit) => note(limit.limit + " holds up " + limit.layout + ", " + asShare(limit.gain) + " better as estimated."))),
    section("Where the time goes", figure("Shares of the estimated time of a step", [legend(LAYOUT_SHARES), stackedBars("Shares of the estimated time",
      rows.slice(0, 20).map((row) => ({label: layoutName(row), note: asTime(row.simulated_ps), parts: LAYOUT_SHARES.map(([name, kind]) =>
        ({name, kind, value: (row[name] || 0) * row.time_s}))})), (value) => asTime(value * 1e12))])),
    section("The layouts beside each other", layoutPlot(rows), layoutLines(rows)),
    layoutMaps(search),
    section("Layouts that were simulated", table("Layouts that were simulated, the best first", LAYOUT_COLUMNS.filter((name) =>
      rows.some((row) => row[name] !== undefined && row[name] !== 0)).map((name) => ({name, label: name === "of" ? "case" : asWords(name), left: isText(rows, name)})),
    rows.map((row) => ({...row, mark: row.on_front})), {limit: 20})),
    search.cases && search.cases.length > 1 && section("Cases", anyTable("Cases", search.cases, {limit: 20}))];
};
