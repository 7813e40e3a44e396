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

const objectPart = (title, object, words = {}) => object && section(title, facts(Object.entries(object)
  .filter(([, value]) => value !== null && typeof value !== "object").map(([name, value]) =>
    [words[name] || asWords(name), asResult(name, value), typeof value === "number" ? value : undefined, name])),
Object.entries(object).filter(([, value]) => Array.isArray(value) && value.length > 0 && typeof value[0] === "object")
  .map(([name, list]) => anyTable(asWords(name), list)));

const STRATEGY_WORDS = {data_parallel: "operators by samples, on all servers", whole: "operators whole, as in data parallelism",
  placed: "operators on a chosen server", split: "operators split otherwise", measured: "operators of measured time", memory_bytes: "memory of the fullest device"};

const topooptParts = (plan) => [
  section("In short", facts([["iteration", asTime(planTime(plan)), planTime(plan), plan.simulated_ps ? "simulated_ps" : "predicted_ps"],
    factOf(plan, "predicted_ps"), factOf(plan, "servers"), factOf(plan, "degree", "interfaces of a server"), factOf(plan, "rounds"),
    factOf(plan, "evaluations"), factOf(plan, "converged")])),
  fabricsPart(plan), objectPart("The topology", plan.topology, {links: "links, one way"}), objectPart("The strategy", plan.strategy, STRATEGY_WORDS),
  (plan.naive || plan.data_parallel) && section("Compared with", facts([
    plan.naive && ["one after the other: strategy, then topology", asTime(planTime(plan.naive)), planTime(plan.naive)],
    plan.data_parallel && ["data parallelism", asTime(planTime(plan.data_parallel)), planTime(plan.data_parallel)]])),
  plan.tried && plan.tried.length > 0 && section("What was tried", anyTable("What was tried, in order", plan.tried, {limit: 25}))];

const sipMlParts = (plan) => {
  const best = plan.best || {}, timed = plan.points.filter((point) => point.accuracy_s > 0);
  const groups = [...new Set(timed.map((point) => point.model_parallel))];
  const row = (name, point) => point && {what: name, ...point};
  return [
    section("In short", facts([factOf(plan, "devices"), factOf(best, "model_parallel", "devices in a group"),
      factOf(best, "data_parallel", "groups"), factOf(best, "batch"),
      planTime(best) && ["iteration", asTime(planTime(best)), planTime(best), "iteration_ps"],
      plan.faster_than_data_parallel && ["speed-up over data parallelism", asRatio(plan.faster_than_data_parallel), plan.faster_than_data_parallel,
        "faster_than_data_parallel"]])),
    section("Compared with data parallelism", anyTable("The best, and data parallelism",
      [row("the best", plan.best), row("data parallelism", plan.data_parallel)].filter(Boolean))),
    section("All points", timed.length > 0 && scatter("Time to the same accuracy by batch", groups.map((k) => ({name: "groups of " + k,
      points: timed.filter((point) => point.model_parallel === k).map((point) => ({x: point.batch, y: point.accuracy_s,
        text: "groups of " + k + ", batch " + point.batch + ": " + asCount(point.accuracy_s) + " s"}))})),
    {label: "batch, samples", format: asCount}, {label: "time to the same accuracy, s", format: asCount}),
    anyTable("All points", plan.points, {limit: 25})),
    objectPart("Traffic of a device", plan.peers)];
};
