/* Several runs side by side: their results, their time by activity, and the settings that differ. */

const FIGURES = ["wall_ps", "npus", "iteration_ps", "tokens_per_s", "samples_per_s", "model_flops_per_s", "model_flops_utilization",
  "messages"];

/* Mean over NPUs of a part of their time. */
const meanOf = (run, key) => {
  let sum = 0, npus = 0;
  for (const each of run.classes || []) {
    const count = each.count;
    sum += count * (each[key] || 0);
    npus += count;
  }
  return npus > 0 ? sum / npus : 0;
};

/* A row for each result, a column for each run, with the ratio to the first. */
const comparisonTable = (caption, names, rows) => table(caption, [{name: "what", label: "", left: true, value: (row) => row.what},
  ...names.map((label, i) => ({name: "run" + i, label: cut(label, 48), left: rows.every((row) => typeof row.values[i] !== "number"), value: (row) => row.values[i],
    text: (value, row) => value === undefined ? "-" : asResult(row.key, value) +
      (i > 0 && typeof value === "number" && row.values[0] > 0 && value > 0 && value !== row.values[0]
        ? " (" + asRatio(value / row.values[0]) + ")" : "")}))], rows, {fixed: true, beside: true});

/* True if a value is informative: not "-", and not a reference to another key. */
const isSaid = (value) => value !== undefined && value !== "-" && !/^as /.test(value);

const differingSettings = (results) => {
  const keys = [...new Set(results.flatMap((result) => Object.keys(result.data.config || {})))];
  return keys.map((key) => ({what: key, key: "text", values: results.map((result) => memberOf(result.data.config || {}, key))}))
    .filter((row) => row.values.some(isSaid) && row.values.some((value) => value !== row.values[0]))
    .sort((a, b) => a.values.includes(undefined) - b.values.includes(undefined));
};

const compareParts = (results) => {
  const runs = results.map((result) => result.data), names = results.map((result) => result.name);
  const parts = usedParts(runs.flatMap((run) => run.classes || []));
  const figures = FIGURES.filter((key) => runs.some((run) => run[key] !== undefined)).map((key) =>
    ({what: asWords(key), key, values: runs.map((run) => run[key])}));
  const times = parts.map(([key, name]) => ({what: name, key, values: runs.map((run) => meanOf(run, key))}));
  const causes = [...new Set(runs.flatMap((run) => ((run.critical_path || {}).parts || []).map((part) => part.what)))];
  const paths = causes.map((what) => ({what, key: "path_ps", values: runs.map((run) =>
    run.critical_path && run.critical_path.parts.filter((part) => part.what === what).reduce((sum, part) => sum + part.ps, 0))}));
  const settings = differingSettings(results);
  return [section("Side by side",
    figure("Where an NPU's time goes, on average",
      html("div", {}, legend(parts.map(([, name, kind]) => [name, kind])),
        stackedBars("Average time of an NPU of each run", results.map((result, i) => ({label: result.name, note: asTime(runs[i].wall_ps),
          parts: parts.map(([key, name, kind]) => ({name, kind, value: meanOf(runs[i], key)}))})), asTime))),
    comparisonTable("Results; in brackets times the first", names, figures),
    comparisonTable("Average time of an NPU", names, times),
    paths.length > 0 && comparisonTable("Critical path", names, paths)),
  section("What differs in the settings", settings.length > 0
    ? filtered("Only rows with", settings, (rows) => comparisonTable("Settings that differ", names, rows)) : note("No setting differs."))];
};
