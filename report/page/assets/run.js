/* A run: where its time goes, and why. */

const PARTS = [["compute_ps", "compute", "compute"], ["cpu_ps", "CPU", "cpu"],
  ["exposed_local_memory_ps", "local memory", "local"], ["exposed_remote_memory_ps", "remote memory", "remote"],
  ["exposed_communication_ps", "communication", "communication"], ["waiting_ps", "waiting", "waiting"],
  ["idle_ps", "idle", "idle"]];
const usedParts = (classes) => PARTS.filter(([key]) => classes.some((each) => each[key] > 0));

const details = (run) => run.details || {missing: {}, origins: {}};
const whyMissing = (run, part) => run.details
  ? (run.details.missing || {})[part] || "not in the result"
  : "the result was made without details (orrery run ... --details, or --report FILE)";

const headline = (run) => facts([
  ["job time", asTime(run.wall_ps), run.wall_ps, "wall_ps"],
  ["NPUs", asAny(run.npus), run.npus, "npus"],
  run.iteration_ps && ["an iteration", asTime(run.iteration_ps), run.iteration_ps, "iteration_ps"],
  run.tokens_per_s && ["tokens/s", asCount(Math.round(run.tokens_per_s)), run.tokens_per_s, "tokens_per_s"],
  run.samples_per_s && ["samples/s", asCount(run.samples_per_s), run.samples_per_s, "samples_per_s"],
  run.model_flops_per_s && run.npus > 0 && ["model FLOP/s of an NPU", asFlops(run.model_flops_per_s / run.npus) + "/s",
    run.model_flops_per_s / run.npus, "model_flops_per_s_per_npu"],
  run.model_flops_utilization && ["of the peak (MFU)", asShare(run.model_flops_utilization),
    run.model_flops_utilization, "model_flops_utilization"],
  factOf(run, "messages"), factOf(run, "events", "events simulated")]);

const uncertaintyOf = (run) => run.uncertainty && section("How sure the time is",
  facts(Object.entries(run.uncertainty).filter(([, value]) => typeof value === "number").map(([name, value]) =>
    [asWords(name), asResult(name, value), value, name])),
  run.uncertainty.slopes && run.uncertainty.slopes.length > 0 && anyTable("What it depends on", run.uncertainty.slopes));

const breakdownOf = (run) => {
  const classes = run.classes || [];
  const parts = usedParts(classes);
  const shown = classes.slice(0, 24);
  return section("Where the time goes", classes.length > shown.length &&
    note("The picture shows the first " + shown.length + " of " + (run.classes_count || classes.length) + " classes of NPUs."),
  figure("Time of each class of NPUs; those of a class have equal times",
    html("div", {}, legend(parts.map(([, name, kind]) => [name, kind])),
      stackedBars("Time of each class of NPUs by what it is spent on", shown.map((each) => ({
        label: (each.count > 1 ? "NPUs " : "NPU ") + asAny(each.ranks), note: asTime(each.finish_ps),
        parts: parts.map(([key, name, kind]) => ({name, kind, value: each[key] || 0}))})), asTime)),
    table("Time of each class of NPUs", [{name: "ranks", label: "NPUs", left: true, text: asAny},
      {name: "count", label: "count"}, {name: "finish_ps", label: "finish"},
      ...parts.map(([name, label]) => ({name, label}))], classes, {limit: 40})));
};

/* The same from the view of the GPU, for jobs with work of the CPU. */
const gpuViewOf = (run) => {
  const classes = (run.classes || []).filter((each) => each.gpu);
  if (classes.length === 0) return null;
  const rows = classes.map((each) => ({ranks: each.ranks, ...each.gpu, ...each.gpu.idle,
    memory_copy_alone_ps: each.gpu.span_ps - each.gpu.compute_ps - each.gpu.exposed_communication_ps - each.gpu.idle_ps}));
  const shown = rows.slice(0, 24), parts = PROFILE_PARTS.filter(([key]) => rows.some((row) => row[key] > 0));
  return section("The GPU's view", note("Without the CPU, as profilers tell it: communication counts where neither computation nor a copy runs beside it."),
    figure("Time of the GPU of each class of NPUs",
      html("div", {}, legend(parts.map(([, name, kind]) => [name, kind])),
        stackedBars("Time of the GPU of each class of NPUs", shown.map((row) => ({label: "NPU " + asAny(row.ranks), note: asTime(row.span_ps),
          parts: parts.map(([key, name, kind]) => ({name, kind, value: row[key] || 0}))})), asTime)),
      table("Time of the GPU of each class of NPUs", [{name: "ranks", label: "NPUs", left: true, text: asAny},
        ...["compute_ps", "communication_ps", "exposed_communication_ps", "memory_copy_ps", "idle_ps"].map((name) => ({name, label: asWords(name)})),
        ...["launch", "end_of_step"].map((name) => ({name, label: "idle: " + asWords(name), text: asTime}))], rows, {limit: 40})));
};

const timelineOf = (run) => {
  const timeline = details(run).timeline;
  if (!timeline) return section("Timeline", missing(whyMissing(run, "timeline")));
  const tracks = tracksOf(timeline);
  return section("Timeline",
    timeline.classes > timeline.npus.length && note("One NPU of each of the first " + timeline.npus.length + " of " +
      timeline.classes + " classes."),
    timeline.joined_within_ps > 0 && note("What lies within " + asTime(timeline.joined_within_ps) +
      " of each other is joined; orrery run --timeline FILE has every operation."),
    figure("What one NPU of each class does when", timelineView(timeline, tracks, run.wall_ps), timelineNumbers(tracks)));
};

/* A backend that does not count utilization has 0 for a dimension that carried bytes. */
const isCounted = (dim) => dim.utilization > 0 || !(dim.bytes > 0);

const dimensionsOf = (run) => {
  const dims = (run.dims || []).map((dim, i) => ({dim: i + 1, ...dim}));
  const links = details(run).links;
  return section("Use of the network",
    dims.length > 0 ? figure("Use of every dimension: bytes carried of those that its links could carry in the job's time",
      bars("Utilization of every dimension", dims.map((dim) => ({label: "dimension " + dim.dim + (dim.block ? ": " + dim.block + " of " + asAny(dim.npus) : ""),
        value: dim.utilization || 0, kind: "communication", note: isCounted(dim) ? asShare(dim.utilization || 0) : "not counted by this backend"})), asShare, 1),
      table("Dimensions", ["dim", "block", "npus", "bandwidth_bytes_per_s", "latency_ps", "messages", "bytes", "utilization"]
        .map((name) => ({name, label: asWords(name), left: name === "block", value: (dim) => name !== "utilization" || isCounted(dim) ? dim[name] : "-"})), dims))
      : note("No dimension carried anything."),
    links ? [figure("How many of the " + links.count + " links are how much in use",
      bars("Number of links by their use", links.by_use.map((count, i) => ({label: 5 * i + " to " + 5 * (i + 1) + " %", value: count,
        kind: "communication", note: String(count)})).filter((row) => row.value > 0), String)),
    anyTable("The links with the highest utilization", links.most_used, {limit: 15})]
      : missing("use of single links: " + whyMissing(run, "links")));
};

const trafficOf = (run) => {
  const traffic = details(run).traffic;
  if (!traffic) return section("Traffic", missing(whyMissing(run, "traffic")));
  const title = "Bytes between " + (traffic.block > 1 ? "blocks of " + traffic.block + " NPUs" : "NPUs") +
    ", on a scale of powers";
  const sums = traffic.bytes.map((row, i) => ({from: traffic.block === 1 ? String(i) : i * traffic.block + " on",
    sent_bytes: row.reduce((a, b) => a + b, 0), received_bytes: traffic.bytes.reduce((sum, other) => sum + other[i], 0)}));
  return section("Traffic", figure(title, heatmap(title, traffic.bytes, traffic.block, asBytes),
    table("Bytes that NPUs sent and received", [{name: "from", label: "NPU", left: true}, {name: "sent_bytes", label: "sent"},
      {name: "received_bytes", label: "received"}], sums, {limit: 32})));
};

const networkOf = (run) => {
  const text = details(run).network;
  return section("The network", text
    ? svgImage("The network: " + ((run.config || {})["network.topology"] || "a graph"), text)
    : missing(whyMissing(run, "network")));
};

const kindOfCause = (what) => /wait|straggler/.test(what) ? "waiting" : /dimension|link|library|message|latency|bandwidth|endpoint/.test(what)
  ? "communication" : /remote/.test(what) ? "remote" : /memory/.test(what) ? "local" : /cpu/i.test(what) ? "cpu" : "compute";

const pathOf = (run) => {
  const path = run.critical_path;
  if (!path) return section("Critical path", missing("the run did not record it (orrery run --why, or --report FILE)"));
  const steps = path.steps || [];
  return section("Critical path",
    figure("What the job's time is spent on, along the chain of what waited for what",
      bars("Critical path by cause", path.parts.slice().sort((a, b) => b.ps - a.ps).map((part) => ({label: part.what, value: part.ps, kind: kindOfCause(part.what),
        note: asTime(part.ps) + ", " + asShare(part.ps / run.wall_ps)})), asTime),
      table("Critical path by cause", [{name: "what", label: "cause", left: true}, {name: "ps", label: "time", text: asTime},
        {name: "share", label: "share", value: (part) => part.ps / run.wall_ps, text: asShare}], path.parts)),
    steps.length > 0 && table("Its longest steps" + (path.steps_count ? ", of " + path.steps_count : ""), Object.keys(steps[0])
      .filter((name) => !["node"].includes(name)).map((name) => ({name, label: asWords(name), left: name === "name", text: name === "npu" ? String : null})),
    steps.slice().sort((a, b) => b.duration_ps - a.duration_ps), {limit: 15}));
};

const rankingTable = (whatif) => table("Changes, the best first", [{name: "what", label: "what if", left: true},
  {name: "wall_ps", label: "job time"}, {name: "saved_ps", label: "saved"},
  {name: "share", label: "share", value: (row) => row.saved_ps / whatif.wall_ps, text: asShare},
  {name: "exposed_communication_ps", label: "communication left"}, {name: "waiting_ps", label: "waiting left"},
  {name: "bound", label: "bound only"}], whatif.changes);

const whatifPart = (whatif) => {
  const shown = whatif.changes.filter((change) => change.saved_ps !== 0).slice(0, 24);
  const idle = whatif.changes.filter((change) => change.saved_ps === 0).map((change) => change.what);
  return section("What would help",
    shown.length > 0 ? figure("Time saved by one change at a time",
      html("div", {}, legend([["a change", "compute"], ["a bound: what it could be at most", "idle"]]),
        bars("Time saved by each change", shown.map((change) => ({label: change.what, value: change.saved_ps / whatif.wall_ps,
          kind: change.bound ? "idle" : "compute",
          note: asTime(change.saved_ps) + ", " + asShare(change.saved_ps / whatif.wall_ps)})), asShare)),
      rankingTable(whatif)) : [note("No change that was tried makes a difference."), rankingTable(whatif)],
    idle.length > 0 && note("Without effect: " + idle.join(", ") + "."));
};
const whatifOf = (run) => run.whatif ? whatifPart(run.whatif)
  : section("What would help", missing(run.details && run.details.missing.whatif ||
    "no changes were tried (orrery whatif --report FILE, or orrery run --report FILE)"));

const STAGE = [["weights_bytes", "weights", "compute"], ["gradients_bytes", "gradients", "communication"],
  ["optimizer_bytes", "optimizer", "cpu"], ["activations_bytes", "activations", "local"]];

const stagesOf = (stages) => {
  const total = (stage) => STAGE.reduce((sum, [key]) => sum + stage[key], 0);
  const capacity = stages[0].capacity_bytes;
  return figure("Maximum memory of an NPU of each pipeline stage" + (capacity > 0 ? ", of " + asBytes(capacity) : ""),
    html("div", {}, legend(STAGE.filter(([key]) => stages.some((stage) => stage[key] > 0)).map(([, name, kind]) => [name, kind])),
      stackedBars("Memory of each pipeline stage", stages.slice(0, 32).map((stage, i) => ({label: "stage " + i, note: asBytes(total(stage)),
        parts: STAGE.map(([key, name, kind]) => ({name, kind, value: stage[key]}))})), asBytes)),
    table("Memory of each pipeline stage", [{name: "stage", label: "stage", left: true, text: String},
      ...STAGE.map(([name, label]) => ({name, label})), {name: "total_bytes", label: "total"},
      {name: "capacity_bytes", label: "capacity", text: (value) => value > 0 ? asBytes(value) : "unlimited"}],
    stages.map((stage, i) => ({stage: i, total_bytes: total(stage), ...stage}))));
};

const memoryOf = (run) => {
  const {memory, stages} = details(run);
  const kinds = ["compute", "communication", "cpu", "local", "remote", "waiting", "message", "idle"];
  return section("Memory",
    memory ? figure("Bytes of live tensors over time, of one NPU of each class",
      html("div", {}, legend(memory.map((use, i) => ["NPU " + use.rank, kinds[i % kinds.length]])),
        stepChart("Bytes of live tensors over time", memory.map((use, i) => {
          const points = [[0, 0]];
          for (let at = 0; at < use.steps.length; at += 2) points.push([use.steps[at], use.steps[at + 1]]);
          points.push([run.wall_ps, points[points.length - 1][1]]);
          return {name: "NPU " + use.rank, kind: kinds[i % kinds.length], points};
        }), {label: "time", format: asTime}, {label: "bytes in use", format: asBytes})),
      table("Peaks", [{name: "rank", label: "NPU", text: String, left: true}, {name: "peak_bytes", label: "peak"},
        {name: "peak_ps", label: "at"}, {name: "peak_name", label: "by", left: true}], memory))
      : missing("bytes over time: " + whyMissing(run, "memory")),
    stages && stages.length > 0 ? stagesOf(stages) : missing("the need of a model: " + whyMissing(run, "stages")));
};

/* As the command's table: times are those of all NPUs together; a collective counts once, an operator on each NPU. */
const workTable = (caption, run, rows, before, behind) => table(caption, [...before, {name: "count", label: "count"},
  {name: "mean_ps", label: "mean", value: (row) => row.count > 0 ? row.time_ps / row.count / (row.npus || 1) : 0, text: asTime},
  {name: "longest_ps", label: "longest"},
  {name: "exposed_per_npu_ps", label: "not hidden", value: (row) => row.exposed_ps / run.npus, text: asTime},
  {name: "waiting_per_npu_ps", label: "waiting", value: (row) => row.exposed_waiting_ps / run.npus, text: asTime}, ...behind], rows, {limit: 15});

const workOf = (run) => section("Collectives and operators",
  run.collectives && run.collectives.length > 0 && workTable("Collectives; times are means over the NPUs", run, run.collectives,
    [{name: "kind", label: "collective", left: true}, {name: "npus", label: "NPUs"}, {name: "bytes", label: "bytes"}],
    [{name: "bus_bandwidth_bytes_per_s", label: "bus bandwidth"}, {name: "algorithms", label: "algorithms", left: true}]),
  run.operators && run.operators.length > 0 && workTable("Operators; times are means over the NPUs", run, run.operators,
    [{name: "name", label: "operator", left: true}, {name: "kind", label: "kind", left: true}, {name: "bytes", label: "bytes, all NPUs"}], []),
  !run.collectives && !run.operators && missing("the run did not record its nodes"));

const configurationOf = (run) => {
  const origins = details(run).origins || {};
  const rows = Object.entries(run.config || {}).map(([key, value]) => ({key, value, origin: memberOf(origins, key) || ""}));
  return section("Configuration",
    run.details ? html("p", {}, "Made by orrery " + asAny(run.details.orrery) + (run.details.command ? " with " : ""),
      run.details.command && html("code", {}, asAny(run.details.command)))
      : note("Version and command are not in the result."),
    (run.warnings || []).length > 0 && html("ul", {class: "warnings"}, run.warnings.map((text) => html("li", {}, text))),
    rows.length > 0 ? html("details", {}, html("summary", {}, rows.length + " values in force and where they come from"),
      filtered("Only rows with", rows, (list) => table("Configuration", [{name: "key", label: "key", left: true},
        {name: "value", label: "value", left: true}, {name: "origin", label: "origin", left: true}], list, {limit: 400})))
      : missing("the result has no configuration"));
};

const inShort = (run) => section("In short", headline(run));
const runParts = [["In short", inShort], ["How sure the time is", uncertaintyOf], ["Where the time goes", breakdownOf], ["The GPU's view", gpuViewOf], ["Critical path", pathOf],
  ["What would help", whatifOf], ["Timeline", timelineOf], ["Use of the network", dimensionsOf], ["Traffic", trafficOf], ["The network", networkOf],
  ["Memory", memoryOf], ["Collectives and operators", workOf], ["Configuration", configurationOf]];
