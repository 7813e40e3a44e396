/* Fits to measurements, benches of collectives, failures of links. */

const measuredOf = (row) => row.measured_us !== undefined ? [row.measured_us * 1e6, row.model_us * 1e6]
  : row.measured_s !== undefined ? [row.measured_s * 1e12, row.model_s * 1e12] : row.time_s !== undefined ? [row.time_s * 1e12, row.model_s * 1e12] : null;

const errorTable = (caption, list) => list && list.length > 0 && table(caption, Object.keys(list[0]).map((name) => ({name,
  label: asWords(name), left: isText(list, name)})), list, {limit: 30});

const fitParts = (fit) => {
  const rows = fit.rows.filter((row) => measuredOf(row) && measuredOf(row)[0] > 0);
  const split = [["fitted", rows.filter((row) => !row.held_out)], ["held out", rows.filter((row) => row.held_out)]]
    .filter(([, list]) => list.length > 0);
  const name = (row) => (row.file || "") + (row.line ? ":" + row.line : "");
  return [
    section("In short", facts([["platform", asAny(fit.platform)], factOf(fit, "fitted_rows", "rows fitted"),
      factOf(fit, "held_out_rows", "rows held out"),
      fit.sigma && ["spread of model over measured", asShare(fit.sigma), fit.sigma, "sigma"]]), (fit.warnings || []).length > 0 &&
      html("ul", {class: "warnings"}, fit.warnings.map((text) => html("li", {}, text)))),
    section("Model and measurement", rows.length > 0 && note("On the dashed line the model is as measured."), rows.length > 0 && scatter("Model by measured time", split.map(([what, list]) => ({name: what,
      points: list.map((row) => ({x: measuredOf(row)[0], y: measuredOf(row)[1],
        text: name(row) + ": measured " + asTime(measuredOf(row)[0]) + ", model " + asTime(measuredOf(row)[1])}))})),
    {label: "measured", format: asTime}, {label: "model", format: asTime}, {equal: true}),
    rows.length > 0 && figure("Rows by how far the model is off", errorBars(rows))),
    section("How far it is off", errorTable("Rows that were fitted", fit.fitted), errorTable("Rows that were held out", fit.held_out)),
    section("Parameters", table("Parameters, and how well the rows identify them", currentKeys(fit.parameters[0] || {}).map((key) => ({name: key,
      label: asWords(key), left: isText(fit.parameters, key), text: (value) => /std_dev$|spread$/.test(key) && typeof value === "number"
        ? (value > 0 ? asShare(Math.exp(value) - 1) : "-") : asResult(key, value)})), fit.parameters),
    note("A standard deviation is how much larger or smaller a value may well be; a value that the rows do not identify has none.")),
    (fit.notes || []).length > 0 && section("Notes", html("ul", {}, fit.notes.map((text) => html("li", {}, text)))),
    section("Rows", filtered("Only rows with", fit.rows, (list) => anyTable("Rows", list, {limit: 40})))];
};

/* Rows in steps of 2 % of error. */
const errorBars = (rows) => {
  const steps = new Map();
  for (const row of rows) {
    const step = Math.max(-15, Math.min(15, Math.round(row.error * 50)));
    steps.set(step, (steps.get(step) || 0) + 1);
  }
  const list = [...steps].sort((a, b) => a[0] - b[0]);
  return bars("Rows by error", list.map(([step, count]) => ({label: (step === -15 ? "-30 % or less" : step === 15 ? "+30 % or more"
    : (step > 0 ? "+" : "") + 2 * step + " %"), value: count, kind: Math.abs(step) > 5 ? "waiting" : "compute", note: String(count)})), String);
};

const benchParts = (bench) => {
  const variantOf = (run) => asAny(run.algorithm) + ", " + asAny(run.scheduler), variants = [...new Set(bench.runs.map(variantOf))];
  return [
    section("In short", facts([["collective", asAny(bench.collective)], factOf(bench, "npus"),
      ["variants", String(variants.length), variants.length], ["runs", String(bench.runs.length), bench.runs.length]])),
    section("Bus bandwidth by size", figure("Bus bandwidth by size, of each variant", html("div", {},
      scatter("Bus bandwidth by size", variants.map((way) => ({name: way, points: bench.runs.filter((run) => variantOf(run) === way)
        .map((run) => ({x: run.bytes, y: run.busbw_bytes_per_s, text: way + ": " + asBytes(run.bytes) + ", " + asBandwidth(run.busbw_bytes_per_s)}))})),
      {label: "size", format: asBytes}, {label: "bus bandwidth", format: asBandwidth}, {joined: true})))),
    section("Runs", table("Every size in every variant; the fastest is marked", Object.keys(bench.runs[0] || {}).map((name) => ({name,
      label: asWords(name), left: isText(bench.runs, name)})), bench.runs.map((run) => ({...run, mark: run.best})), {limit: 60}))];
};

const measuredParts = (bench) => [
  section("Simulated and measured bus bandwidth", anyTable("Collectives, each at its sizes", bench.tables)),
  section("Model and measurement", note("On the dashed line the model is as measured."), scatter("Model by measured time", [{name: "rows", points: bench.measured.filter((row) => row.measured_us > 0)
    .map((row) => ({x: row.measured_us * 1e6, y: row.model_us * 1e6,
      text: row.collective + ", " + asBytes(row.bytes) + ": measured " + asTime(row.measured_us * 1e6) + ", model " + asTime(row.model_us * 1e6)}))}],
  {label: "measured", format: asTime}, {label: "model", format: asTime}, {equal: true})),
  section("Rows", filtered("Only rows with", bench.measured, (list) => anyTable("Rows", list, {limit: 60})))];

const failuresParts = (study) => [
  section("In short", facts([factOf(study, "healthy_ps", "with all links"), factOf(study, "npus")])),
  section("Classes of links", anyTable("Classes of links", study.classes || [])),
  section("What each failure costs", figure("Slowdown by the failure of a link, the worst first",
    bars("Slowdown by failure", study.failures.slice().sort((a, b) => b.slowdown - a.slowdown).slice(0, 30).map((failure) => ({label: failure.link,
      value: failure.slowdown || 0, kind: failure.disconnected ? "waiting" : "communication",
      note: failure.disconnected ? "parts the network" : asRatio(failure.slowdown)})), asRatio)), anyTable("Failures", study.failures))];
