"use strict";
/* Numbers as text, with the units and digits of the command's tables. */

/* An own property of an object, by any name. */
const memberOf = (object, key) => Object.hasOwn(object, key) ? object[key] : undefined;

/* "-" for a value that is not a number, which results of other versions may have. */
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

const fixed = (value, digits) => Math.abs(value) < 1e15 ? value.toFixed(digits) : String(Number(value.toPrecision(6)));

const scaled = (value, units, digits) => {
  if (!isNumber(value)) return "-";
  const size = Math.abs(value);
  for (const [name, unit] of units) {
    if (size >= unit || unit === units[units.length - 1][1]) {
      return fixed(value / unit, unit === 1 ? 0 : digits) + " " + name;
    }
  }
  return "-";
};

/* Units as [name, size], the largest first. */
const TIME_UNITS = [["s", 1e12], ["ms", 1e9], ["us", 1e6], ["ns", 1e3], ["ps", 1]];
const BYTE_UNITS = [["TiB", 2 ** 40], ["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 1024], ["B", 1]];
const RATE_UNITS = [["TB/s", 1e12], ["GB/s", 1e9], ["MB/s", 1e6], ["kB/s", 1e3], ["B/s", 1]];

const asTime = (ps) => scaled(ps, TIME_UNITS, 3);
const asBytes = (bytes) => scaled(bytes, BYTE_UNITS, 2);
const asBandwidth = (rate) => rate >= 1e24 ? "unlimited" : scaled(rate, RATE_UNITS, 2);
const asFlops = (flops) =>
  scaled(flops, [["EFLOP", 1e18], ["PFLOP", 1e15], ["TFLOP", 1e12], ["GFLOP", 1e9], ["FLOP", 1]], 2);
const asShare = (share) => isNumber(share) ? fixed(100 * share, 1) + " %" : "-";
const asRatio = (ratio) => !isNumber(ratio) ? "-" : (ratio >= 100 ? fixed(ratio, 0) : ratio >= 10 ? ratio.toFixed(1) : ratio >= 0.1 || ratio <= 0 ? ratio.toFixed(3) : String(Number(ratio.toPrecision(2)))) + "x";
const grouped = (text) => text.replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
const asCount = (count) => {
  if (!isNumber(count)) return "-";
  const shown = Math.abs(count) >= 1e4 && Math.abs(count) < 1e15 ? Math.round(count) : Number(count.toPrecision(6));
  return Number.isInteger(shown) && Math.abs(shown) >= 1e4 && Math.abs(shown) < 1e15 ? grouped(String(shown)) : String(shown);
};
const asAny = (value) => typeof value === "number" ? asCount(value) : value !== null && typeof value === "object" || value === undefined || value === null
  ? "-" : String(value);

/* The format by the suffix of a result's name, which is its unit. */
const asResult = (name, value) => {
  if (typeof value !== "number") {
    return value === null || value === undefined ? "-" : typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
  }
  if (/_ps(_[ab])?$/.test(name)) return asTime(value);
  if (/_us$/.test(name)) return asTime(value * 1e6);
  if (/(^|[^r])_s$/.test(name) && !/_per_s$/.test(name)) return asTime(value * 1e12);
  if (/(^|_)error$|^gap$|^bias$/.test(name)) return (value > 0 ? "+" : "") + asShare(value);
  if (/bytes_per_s$/.test(name)) return asBandwidth(value);
  if (/flops_per_s$/.test(name)) return asFlops(value) + "/s";
  if (/flops$/.test(name)) return asFlops(value);
  if (/bytes$/.test(name)) return asBytes(value);
  if (/utilization$|share$|^median(_large|_small)?$|^p90$|^worst$|^sigma$/.test(name)) return asShare(value);
  if (/(^|_)(slowdown|ratio)$/.test(name)) return asRatio(value);
  return asCount(value);
};

/* "exposed_communication_ps" as "exposed communication". */
const WORDS = {npus_per_node: "NPUs of a node", measured_busbw_bytes_per_s: "measured bus bandwidth", median_large: "median error, 1 MiB and more",
  median_small: "median error, below 1 MiB", p90: "90 % within", median: "half within", gap: "measured over model", npu: "NPU", npus: "NPUs", wall_ps: "job time", iteration_ps: "an iteration", tokens_per_s: "tokens/s",
  samples_per_s: "samples/s", model_flops_per_s: "model FLOP/s", model_flops_utilization: "of the peak (MFU)",
  bus_bandwidth_bytes_per_s: "bus bandwidth", busbw_bytes_per_s: "bus bandwidth", algbw_bytes_per_s: "bytes / time",
  exposed_communication_ps: "communication not hidden", exposed_local_memory_ps: "local memory", exposed_remote_memory_ps: "remote memory",
  waiting_ps: "waiting", exposed_ps: "not hidden", exposed_waiting_ps: "waiting not hidden", flops: "operations",
  memory_bytes: "memory of an NPU", accuracy_s: "time to accuracy", measured_us: "measured", model_us: "model",
  reduce_bytes: "bytes of all-reduces", transfer_bytes: "bytes of transfers", wire_bytes: "bytes on wires", tax: "bandwidth tax",
  out: "most peers that one sends to", in: "most peers that one hears from", all_reduce: "all-reduce", all_reduces: "all-reduces",
  all_reduce_bytes: "bytes of all-reduces", all_reduces_by_ring_instead: "all-reduces by ring instead", taskgraph: "task graph",
  p99_ps: "99 % at most", wall_ps_a: "job time of A", wall_ps_b: "job time of B", npus_a: "NPUs of A",
  npus_b: "NPUs of B", look_ahead: "look-ahead", wait_mean_ps: "mean wait", wait_p99_ps: "99 % wait at most", for_servers_mean_ps: "of it for servers",
  for_patching_mean_ps: "of it for patching", for_block_mean_ps: "of it for a block", alone_mean_ps: "mean alone", mean_ratio: "times the first",
  p99_ratio: "99 %, times the first", links_mean_ps: "a link is busy, on average", links_least_ps: "a link is busy, at least",
  links_most_ps: "a link is busy, at most", links_by_transfers_mean_ps: "by transfers, on average", links_by_transfers_least_ps: "by transfers, at least",
  links_by_transfers_most_ps: "by transfers, at most", critical: "kind of what limits it", critical_resource: "what limits it",
  critical_busy_ps: "how long that is busy", missing_bytes: "memory missing"};
const asWords = (name) => Object.hasOwn(WORDS, name) ? WORDS[name] : name.replace(/_(ps|us|s|bytes_per_s|bytes|flops)(_[ab])?$/, "").replace(/_/g, " ");

/* Numbers of an axis in one unit, with no more digits than they differ by. */
const AXIS_UNITS = new Map([[asTime, TIME_UNITS], [asBytes, BYTE_UNITS], [asBandwidth, RATE_UNITS]]);
const axisTexts = (values, format, log) => {
  const units = AXIS_UNITS.get(format), max = values.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
  if (!units) return values.map(format);
  const unitOf = (value) => units.find((unit) => value >= unit[1]) || units[units.length - 1];
  const [name, size] = unitOf(max);
  return values.map((value) => log ? Number((value / unitOf(value)[1]).toPrecision(3)) + " " + unitOf(value)[0]
    : Number((value / size).toPrecision(6)) + (value === 0 ? "" : " " + name));
};

/* A round step of at least `rough`: of bytes a power of two, or 1, 2 or 5 times a power of ten. */
const roundStep = (rough, format) => {
  if (format === asBytes) return Math.max(2 ** Math.ceil(Math.log2(rough) - 1e-9), 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough) || 10 * power;
};
/* About `count` round steps of an axis. */
const roundSteps = (min, max, count, format) => {
  const span = max - min || Math.abs(max) || 1;
  const step = roundStep(span / count, format);
  const steps = [];
  for (let at = Math.ceil(min / step) * step; at <= max + step * 1e-9; at += step) {
    steps.push(Math.abs(at) < step * 1e-9 ? 0 : at);
  }
  return steps;
};
