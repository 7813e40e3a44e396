/* Charts as SVG: stacked bars, bars, steps, heatmaps. Lengths are in pixels of a picture that scales. */

const WIDTH = 960;
const textAt = (x, y, text, attributes) => svg("text", {x, y, ...attributes}, text);
const cut = (text, max) => text.length > max ? text.slice(0, max - 1) + "…" : text;

const LETTER = 7.5; /* mean width of a character in a wide font */

/* Width of the longest label, left of the bars. */
const roomFor = (rows) => Math.min(Math.max(Math.max(...rows.map((row) => row.label.length), 0) * LETTER + 20, 110), 320);
const labelOfBar = (row, room) => cut(row.label, Math.floor((room - 16) / LETTER));

const picture = (height, label, ...children) => html("div", {class: "wide"},
  svg("svg", {viewBox: "0 0 " + WIDTH + " " + height, role: "img", "aria-label": label, class: "chart"}, children));

const legend = (entries) => html("ul", {class: "legend"}, entries.map(([name, kind]) =>
  html("li", {}, html("span", {class: "swatch fill-" + kind, "aria-hidden": "true"}), name)));

/* rows: {label, note, parts: [{name, kind, value}]}. `format` of a value; each bar as long as its sum. */
const stackedBars = (label, rows, format) => {
  const max = Math.max(...rows.map((row) => row.parts.reduce((sum, part) => sum + part.value, 0)), 1e-300);
  const size = 24, gap = 8, left = roomFor(rows), end = WIDTH - 110;
  const bars = rows.map((row, i) => {
    const y = i * (size + gap) + 4;
    let x = left;
    const parts = row.parts.filter((part) => part.value > 0).map((part) => {
      const width = part.value / max * (end - left);
      const bar = svg("rect", {x, y, width: Math.max(width, 0.3), height: size, class: "fill-" + part.kind},
        svg("title", {}, row.label + ": " + part.name + " " + format(part.value)));
      x += width;
      return bar;
    });
    return [textAt(left - 8, y + size / 2, labelOfBar(row, left), {"text-anchor": "end", "dominant-baseline": "central"}),
      parts, textAt(x + 6, y + size / 2, row.note, {"dominant-baseline": "central", class: "small"})];
  });
  return picture(rows.length * (size + gap) + 4, label, bars);
};

/* rows: {label, value, kind, note}: a bar each, to the left of the axis where the value is negative. `full`: the value of
 * a bar that is as long as can be. */
const bars = (label, rows, format, full) => {
  const max = full || Math.max(...rows.map((row) => row.value), 0), min = Math.min(...rows.map((row) => row.value), 0);
  const noted = Math.max(...rows.map((row) => (row.note || format(row.value)).length), 0);
  const size = 22, gap = 6, left = roomFor(rows), end = WIDTH - Math.min(Math.max(noted * 6.6 + 20, 90), 300);
  const at = (value) => left + (value - min) / (max - min || 1) * (end - left);
  return picture(rows.length * (size + gap) + 4, label, rows.map((row, i) => {
    const y = i * (size + gap) + 4, from = Math.min(at(0), at(row.value)), to = Math.max(at(0), at(row.value));
    return [textAt(left - 8, y + size / 2, labelOfBar(row, left), {"text-anchor": "end", "dominant-baseline": "central"}),
      svg("rect", {x: from, y, width: Math.max(to - from, 0.5), height: size, class: "fill-" + (row.kind || "compute")},
        svg("title", {}, row.label + ": " + format(row.value))),
      textAt(to + 6, y + size / 2, row.note || format(row.value), {"dominant-baseline": "central", class: "small"})];
  }));
};

/* An axis of numbers below and one to the left of a plot. */
const PLOT = {left: 90, right: 20, top: 12, bottom: 52};

/* scale: {min, max, log, format, label}. */
const place = (scale, value) => scale.log
  ? Math.log(value / scale.min) / Math.log(scale.max / scale.min || 2) : (value - scale.min) / (scale.max - scale.min || 1);

const ticks = (scale, count) => {
  if (!scale.log) return roundSteps(scale.min, scale.max, count, scale.format);
  if (scale.format === asBytes) {
    const from = Math.ceil(Math.log2(scale.min) - 1e-6), to = Math.floor(Math.log2(scale.max) + 1e-6);
    const step = Math.max(1, Math.ceil((to - from) / count));
    return [...Array(Math.max(to - from + 1, 0)).keys()].filter((i) => i % step === 0).map((i) => 2 ** (from + i));
  }
  const decades = Math.log10(scale.max / scale.min);
  const list = [];
  for (let power = Math.floor(Math.log10(scale.min)); power <= Math.log10(scale.max); power++) {
    for (const f of decades > 3 ? [1] : [1, 2, 5]) {
      const at = f * 10 ** power;
      if (at >= scale.min * 0.999999 && at <= scale.max * 1.000001) list.push(at);
    }
  }
  return list;
};

const axes = (x, y, width, height) => {
  const right = width - PLOT.right, bottom = height - PLOT.bottom;
  const atX = (value) => PLOT.left + place(x, value) * (right - PLOT.left);
  const atY = (value) => bottom - place(y, value) * (bottom - PLOT.top);
  const acrossAt = ticks(x, 7), upAt = ticks(y, 6);
  const across = axisTexts(acrossAt, x.format, x.log), up = axisTexts(upAt, y.format, y.log);
  const lines = [
    acrossAt.map((at, i) => [
      svg("line", {x1: atX(at), x2: atX(at), y1: PLOT.top, y2: bottom, class: "grid"}),
      textAt(atX(at), bottom + 18, across[i], {"text-anchor": "middle", class: "small"})]),
    upAt.map((at, i) => [
      svg("line", {x1: PLOT.left, x2: right, y1: atY(at), y2: atY(at), class: "grid"}),
      textAt(PLOT.left - 8, atY(at), up[i], {"text-anchor": "end", "dominant-baseline": "central", class: "small"})]),
    textAt((PLOT.left + right) / 2, height - 8, x.label, {"text-anchor": "middle"}),
    svg("text", {transform: "translate(14 " + (PLOT.top + bottom) / 2 + ") rotate(-90)", "text-anchor": "middle"}, y.label)];
  return {atX, atY, lines};
};

/* A scale around values: from 0 where they are linear, by powers of ten where they span decades. */
const scaleOf = (values, label, format, log) => {
  const good = values.filter((value) => Number.isFinite(value) && (!log || value > 0));
  const min = good.reduce((a, b) => Math.min(a, b), Infinity);
  const max = good.reduce((a, b) => Math.max(a, b), -Infinity);
  if (good.length === 0) return {min: 0, max: 1, log: false, format, label};
  if (log) return {min: min * 0.9, max: max * 1.1, log: true, format, label};
  const from = min > 0 && min < 0.5 * max ? 0 : min - 0.05 * (max - min || Math.abs(max));
  return {min: min >= 0 ? Math.max(from, 0) : from, max: max + 0.04 * (max - from || 1), log: false, format, label};
};

/* series: {name, kind, points: [[x, y], ...]}; each holds its value until the next point. */
const stepChart = (label, series, xAxis, yAxis) => {
  const height = 320;
  const x = scaleOf(series.flatMap((s) => s.points.map((p) => p[0])), xAxis.label, xAxis.format);
  const y = scaleOf([0, ...series.flatMap((s) => s.points.map((p) => p[1]))], yAxis.label, yAxis.format);
  const plot = axes(x, y, WIDTH, height);
  const path = (points) => points.map(([px, py], i) => {
    const across = plot.atX(px).toFixed(1), up = plot.atY(py).toFixed(1);
    return i === 0 ? "M" + across + " " + up : "H" + across + "V" + up;
  }).join("");
  return picture(height, label, plot.lines, series.map((s) =>
    svg("path", {d: path(s.points), class: "line stroke-" + s.kind}, svg("title", {}, s.name))));
};

/* rows of bytes, [from][to]; by powers of ten. */
const heatmap = (label, rows, block, format) => {
  const cells = rows.length, side = Math.min(480, Math.max(160, cells * 40)), size = side / cells, left = 90, top = 34;
  const values = rows.flat().filter((value) => value > 0);
  const min = values.reduce((a, b) => Math.min(a, b), Infinity), max = values.reduce((a, b) => Math.max(a, b), 0);
  const level = (value) => max > min ? Math.round(Math.log(value / min) / Math.log(max / min) * 8) : 8;
  const name = (i) => block === 1 ? String(i) : i * block + "-" + ((i + 1) * block - 1);
  const step = Math.ceil(Math.max(cells / 16, (String(cells * block).length * 7 + 10) / size));
  const marks = [...Array(cells).keys()].filter((i) => i % step === 0);
  const drawn = picture(top + side + 16, label,
    rows.map((row, i) => row.map((value, j) => value > 0 &&
      svg("rect", {x: left + j * size, y: top + i * size, width: size, height: size, class: "heat-" + level(value)},
        svg("title", {}, "NPU " + name(i) + " to " + name(j) + ": " + format(value))))),
    svg("rect", {x: left, y: top, width: side, height: side, class: "frame"}),
    marks.map((i) => [
      textAt(left - 6, top + (i + 0.5) * size, String(i * block), {"text-anchor": "end", "dominant-baseline": "central", class: "small"}),
      textAt(left + (i + 0.5) * size, top - 6, String(i * block), {"text-anchor": "middle", class: "small"})]),
    svg("text", {transform: "translate(12 " + (top + side / 2) + ") rotate(-90)", "text-anchor": "middle"}, "from NPU"),
    textAt(left + side / 2, 12, "to NPU", {"text-anchor": "middle"}),
    values.length > 0 && [...Array(9).keys()].filter((i) => max > min || i === 8).map((i) => [
      svg("rect", {x: left + side + 40, y: top + (8 - i) * 22, width: 22, height: 22, class: "heat-" + i}),
      (i === 0 || i === 4 || i === 8) && textAt(left + side + 70, top + (8 - i) * 22 + 11,
        format(min * (max / min) ** (i / 8)), {"dominant-baseline": "central", class: "small"})]));
  return drawn;
};
