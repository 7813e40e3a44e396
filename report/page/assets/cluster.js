/* Jobs on one cluster, variants of them, and two runs that are compared. */

const JOB_COLUMNS = [["name", "job"], ["runs", "runs"], ["fabric", "network"], ["on", "servers"], ["arrival_ps", "arrival"], ["for_servers_ps", "for servers"],
  ["for_block_ps", "of it for a block"], ["for_patching_ps", "for patching"], ["start_ps", "start"], ["end_ps", "end"], ["count", "iterations"], ["mean_ps", "mean"],
  ["p99_ps", "99 % at most"], ["alone_mean_ps", "mean alone"], ["slowdown", "slowdown"], ["compute_ps", "compute"], ["flow_model", "flow model"],
  ["all_reduce", "all-reduce"], ["all_reduces", "all-reduces"], ["all_reduces_by_ring_instead", "by ring instead"], ["rounds", "rounds"], ["flows", "flows"]];

const jobRow = (job) => ({...job, runs: job.taskgraph || job.traces || job.workload || job.plan, on: Array.isArray(job.servers) ? listText(job.servers) : undefined,
  count: Array.isArray(job.iterations_ps) ? job.iterations_ps.length : job.iterations});

const jobsTable = (jobs) => {
  const rows = jobs.map(jobRow);
  const columns = JOB_COLUMNS.filter(([name]) => rows.some((row) => row[name] !== undefined && row[name] !== null && row[name] !== 0));
  return table("Jobs", columns.map(([name, label]) => ({name, label, left: isText(rows, name)})), rows, {limit: 60});
};

const waits = (jobs) => jobs.some((job) => job.for_servers_ps > 0 || job.for_patching_ps > 0);

const jobsPicture = (jobs) => {
  const shown = jobs.filter((job) => job.mean_ps > 0).slice(0, 40);
  const label = (job) => asAny(job.name);
  return [shown.length > 0 && figure("Mean time of an iteration of each job" + (shown.length < jobs.length ? ", of the first " + shown.length : ""),
    bars("Mean time of an iteration of each job", shown.map((job) => ({label: label(job), value: job.mean_ps, note: asTime(job.mean_ps) +
      (job.slowdown > 0 ? ", " + asRatio(job.slowdown) + " of alone" : "")})), asTime)),
  waits(jobs) && figure("How long each job waits, and runs", html("div", {}, legend([["waits for servers", "waiting"], ["waits for patching", "message"], ["runs", "compute"]]),
    stackedBars("How long each job waits, and runs", jobs.slice(0, 40).map((job) => ({label: label(job), note: asTime(job.end_ps - job.arrival_ps), parts: [
      {name: "waits for servers", kind: "waiting", value: job.for_servers_ps || 0}, {name: "waits for patching", kind: "message", value: job.for_patching_ps || 0},
      {name: "runs", kind: "compute", value: Math.max(job.end_ps - job.start_ps, 0) || 0}]})), asTime)))];
};

const CLUSTER_WORDS = {end_ps: "end of the last job", iterations: "iterations of all jobs", mean_ps: "mean of an iteration", utilization: "servers in use"};

const clusterParts = (cluster) => [
  section("In short", facts(Object.keys(cluster).filter((key) => typeof cluster[key] !== "object").map((key) => factOf(cluster, key, CLUSTER_WORDS[key])))),
  section("Jobs", cluster.jobs.length > 0 ? [jobsPicture(cluster.jobs), jobsTable(cluster.jobs)] : missing("there are no jobs"))];

const comparisonParts = (beside) => {
  const runs = beside.runs, names = runs.map((run) => asAny(run.name));
  const known = (key) => runs.some((run) => typeof run[key] === "number" && run[key] !== 0);
  const figures = ["mean_ps", "p99_ps", "end_ps", "wait_mean_ps", "for_servers_mean_ps", "for_block_mean_ps", "for_patching_mean_ps", "wait_p99_ps", "makespan_ps",
    "utilization", "bandwidth_tax"].filter(known).map((key) => ({what: CLUSTER_WORDS[key] || asWords(key), key, values: runs.map((run) => run[key])}));
  const jobNames = [...new Set(runs.flatMap((run) => run.jobs.map((job) => job.name)))];
  const ofJobs = (key) => jobNames.map((name) => ({what: asAny(name), key, values: runs.map((run) => (run.jobs.find((job) => job.name === name) || {})[key])}))
    .filter((row) => row.values.some((value) => value !== undefined));
  const settings = ["fabric", "network", "flow_model", "placement", "queue", "panels", "look_ahead"].map((key) => ({what: asWords(key), key,
    values: runs.map((run) => run[key] === undefined ? undefined : asResult(key, run[key]))})).filter((row) => row.values.some((value) => value !== row.values[0]));
  const set = runs.map((run) => (run.set || []).join(", "));
  return [
    section("Side by side", figure("Mean time of an iteration, of all jobs", bars("Mean time of an iteration", runs.filter((run) => run.mean_ps > 0).map((run) =>
      ({label: asAny(run.name), value: run.mean_ps, note: asTime(run.mean_ps) + (run.mean_ratio > 0 ? ", " + asRatio(run.mean_ratio) : "")})), asTime)),
    comparisonTable("Results; in brackets times the first", names, figures), comparisonTable("Mean time of an iteration of each job", names, ofJobs("mean_ps")),
    runs.some((run) => waits(run.jobs)) && comparisonTable("End of each job", names, ofJobs("end_ps"))),
    section("What differs in the settings", set.some(Boolean) && comparisonTable("Values that were set", names, [{what: "set", key: "text",
      values: set.map((text) => text || "as the file has it")}]), settings.length > 0 ? comparisonTable("Settings that differ", names, settings) : note("Nothing else differs.")),
    ...runs.map((run) => section("Jobs: " + asAny(run.name), jobsTable(run.jobs)))];
};

/* A value of a comparison, with the unit of its name. */
const differing = (row, value) => typeof value !== "number" ? asResult("", value) : / bytes$/.test(row.what) ? asBytes(value) : /bytes\/s$/.test(row.what) ? asBandwidth(value)
  : / (NPUs|messages)$/.test(row.what) && row.section === "dimensions" ? asCount(value) : asTime(value);

const diffParts = (diff) => {
  const sections = [...new Set((diff.changes || []).map((row) => row.section))];
  return [section("In short", facts([factOf(diff, "wall_ps_a"), factOf(diff, "wall_ps_b"), diff.wall_ps_a > 0 && ["B of A", asRatio(diff.wall_ps_b / diff.wall_ps_a)]])),
    ...sections.map((name) => section("Differences: " + name, table("Differences: " + name, [{name: "what", label: "what", left: true, value: (row) => row.what.replace(/ in bytes\/s$/, "")},
      {name: "a", label: "A", text: (value, row) => differing(row, value)}, {name: "b", label: "B", text: (value, row) => differing(row, value)},
      {name: "ratio", label: "B of A", value: (row) => row.a > 0 && row.b > 0 ? asRatio(row.b / row.a) : "-"}],
    diff.changes.filter((row) => row.section === name), {limit: 30}))),
    section("Settings", (diff.settings || []).length > 0 ? filtered("Only rows with", diff.settings, (list) => table("Settings that differ", [{name: "key", label: "key", left: true},
      {name: "a", label: "A", left: true}, {name: "b", label: "B", left: true}], list, {limit: 60})) : note("No setting differs."))];
};

/* Profiles: what each rank's GPU did, and why it was idle. */

const PROFILE_PARTS = [["compute_ps", "compute", "compute"], ["memory_copy_alone_ps", "copies alone", "local"],
  ["exposed_communication_ps", "exposed communication", "communication"], ["launch", "idle: launch", "cpu"],
  ["stream", "idle: another stream", "remote"], ["peer", "idle: a peer", "waiting"], ["end_of_step", "idle: end of step", "idle"],
  ["other", "idle: other", "idle"]];

const profileParts = (profile) => {
  const ranks = profile.ranks.map((rank) => ({...rank, ...rank.idle,
    memory_copy_alone_ps: rank.span_ps - rank.compute_ps - rank.exposed_communication_ps - rank.idle_ps}));
  const shown = ranks.slice(0, 64), parts = PROFILE_PARTS.filter(([key]) => ranks.some((rank) => rank[key] > 0));
  return [section("The GPU's view", ranks.length > shown.length && note("The picture shows the first " + shown.length + " of " + ranks.length + " ranks."),
    figure("What the GPU of each rank did: communication counts where nothing else runs beside it",
      html("div", {}, legend(parts.map(([, name, kind]) => [name, kind])),
        stackedBars("Time of the GPU of each rank", shown.map((rank) => ({label: "rank " + rank.rank, note: asTime(rank.span_ps),
          parts: parts.map(([key, name, kind]) => ({name, kind, value: rank[key] || 0}))})), asTime)),
      table("Time of the GPU of each rank", [{name: "rank", label: "rank"}, ...["span_ps", "compute_ps", "communication_ps",
        "exposed_communication_ps", "memory_copy_ps", "idle_ps"].map((name) => ({name, label: asWords(name)})),
      ...["launch", "stream", "peer", "end_of_step", "other"].map((name) => ({name, label: "idle: " + asWords(name), text: asTime}))], ranks, {limit: 64}))),
  section("Files", table("Files", [{name: "rank", label: "rank"}, {name: "file", label: "file", left: true, text: asAny},
    {name: "step", label: "step"}, {name: "kernels", label: "kernels"}, {name: "communication_kernels", label: "that communicate"},
    {name: "without_launch", label: "without launch"}], ranks, {limit: 64}))];
};
