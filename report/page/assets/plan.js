/* Plans: a strategy and a topology of TopoOpt, groups and batches of SiP-ML. */

const planTime = (plan) => plan.simulated_ps || plan.estimated_ps || plan.predicted_ps;

const fabricsPart = (plan) => {
  if (!plan.fabrics || plan.fabrics.length === 0) return section("Other fabrics", missing("no other fabric was run"));
  const own = planTime(plan);
  const rows = [{fabric: "as planned", strategy_ps: own, data_parallel_ps: (plan.data_parallel || {}).simulated_ps}, ...plan.fabrics];
  return section("Other fabrics", figure("An iteration of the planned strategy on each fabric",
    bars("Iteration time on each fabric", rows.filter((row) => row.strategy_ps > 0).map((row) => ({label: row.fabric, value: row.strategy_ps,
      kind: row.fabric === "as planned" ? "compute" : "idle",
      note: asTime(row.strategy_ps) + (own > 0 ? ", " + asRatio(row.strategy_ps / own) : "")})), asTime),
    table("Iteration time on each fabric", [{name: "fabric", label: "fabric", left: true}, {name: "notation", label: "notation", left: true},
      {name: "bandwidth_bytes_per_s", label: "bandwidth of an interface"}, {name: "strategy_ps", label: "planned strategy"},
      {name: "data_parallel_ps", label: "data parallelism"}], rows)));
};

const objectPart = (title, object) => object && section(title, facts(Object.entries(object)
  .filter(([, value]) => value !== null && typeof value !== "object").map(([name, value]) =>
    [asWords(name), asResult(name, value), typeof value === "number" ? value : undefined, name])),
Object.entries(object).filter(([, value]) => Array.isArray(value) && value.length > 0 && typeof value[0] === "object")
  .map(([name, list]) => anyTable(asWords(name), list)));

const topooptParts = (plan) => [
  section("In short", facts([["iteration", asTime(planTime(plan)), planTime(plan), plan.simulated_ps ? "simulated_ps" : "predicted_ps"],
    ["predicted", asTime(plan.predicted_ps), plan.predicted_ps, "predicted_ps"], ["servers", String(plan.servers), plan.servers, "servers"],
    ["interfaces of a server", String(plan.degree), plan.degree, "degree"], ["rounds", String(plan.rounds), plan.rounds, "rounds"],
    ["evaluations", String(plan.evaluations), plan.evaluations, "evaluations"], ["converged", plan.converged ? "yes" : "no"]])),
  fabricsPart(plan), objectPart("The topology", plan.topology), objectPart("The strategy", plan.strategy),
  section("Compared with", facts([plan.naive && ["one after the other: strategy, then topology", asTime(planTime(plan.naive)), planTime(plan.naive)],
    plan.data_parallel && ["data parallelism", asTime(planTime(plan.data_parallel)), planTime(plan.data_parallel)]])),
  plan.tried && plan.tried.length > 0 && section("What was tried", anyTable("What was tried, in order", plan.tried, {limit: 25}))];

const sipMlParts = (plan) => {
  const timed = plan.points.filter((point) => point.accuracy_s > 0);
  const groups = [...new Set(timed.map((point) => point.model_parallel))];
  const row = (name, point) => point && {what: name, ...point};
  return [
    section("In short", facts([["devices", String(plan.devices), plan.devices, "devices"],
      ["groups of", String(plan.best.model_parallel), plan.best.model_parallel, "model_parallel"],
      ["so many groups", String(plan.best.data_parallel), plan.best.data_parallel, "data_parallel"],
      ["batch", String(plan.best.batch), plan.best.batch, "batch"], ["iteration", asTime(planTime(plan.best)), planTime(plan.best), "iteration_ps"],
      ["as fast as data parallelism", asRatio(plan.faster_than_data_parallel || 1), plan.faster_than_data_parallel,
        "faster_than_data_parallel"]])),
    section("Beside data parallelism", anyTable("The best, and data parallelism",
      [row("the best", plan.best), row("data parallelism", plan.data_parallel)].filter(Boolean))),
    section("All points", timed.length > 0 && scatter("Time to the same accuracy by batch", groups.map((k) => ({name: "groups of " + k,
      points: timed.filter((point) => point.model_parallel === k).map((point) => ({x: point.batch, y: point.accuracy_s,
        text: "groups of " + k + ", batch " + point.batch + ": " + asCount(point.accuracy_s) + " s"}))})),
    {label: "batch, samples", format: asCount}, {label: "time to the same accuracy, s", format: asCount}, false),
    anyTable("All points", plan.points, {limit: 25})),
    objectPart("Traffic of a device", plan.peers)];
};
