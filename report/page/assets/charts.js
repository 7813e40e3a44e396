/* Charts as SVG: stacked bars, bars, steps, heatmaps. Lengths are in pixels of a picture that scales. */

const WIDTH = 960;
const textAt = (x, y, text, attributes) => svg("text", {x, y, ...attributes}, text);
const cut = (text, most) => text.length > most ? text.slice(0, most - 1) + "…" : text;

const LETTER = 7.5; /* the mean width of one, in a font that is wide */

/* How much room the longest of labels needs before bars. */
const roomFor = (rows) => Math.min(Math.max(Math.max(...rows.map((row) => row.label.length), 0) * LETTER + 20, 110), 320);
const labelOfBar = (row, room) => cut(row.label, Math.floor((room - 16) / LETTER));

const picture = (height, label, ...children) => html("div", {class: "wide"},
  svg("svg", {viewBox: "0 0 " + WIDTH + " " + height, role: "img", "aria-label": label, class: "chart"}, children));

const legend = (entries) => html("ul", {class: "legend"}, entries.map(([name, kind]) =>
  html("li", {}, html("span", {class: "swatch fill-" + kind, "aria-hidden": "true"}), name)));

/* rows: {label, note, parts: [{name, kind, value}]}. `format` of a value; each bar as long as its sum. */
const stackedBars = (label, rows, format) => {
  const most = Math.max(...rows.map((row) => row.parts.reduce((sum, part) => sum + part.value, 0)), 1e-300);
  const size = 24, gap = 8, left = roomFor(rows), end = WIDTH - 110;
  const bars = rows.map((row, i) => {
    const y = i * (size + gap) + 4;
    let x = left;
    const parts = row.parts.filter((part) => part.value > 0).map((part) => {
      const width = part.value / most * (end - left);
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
  const most = full || Math.max(...rows.map((row) => row.value), 0), least = Math.min(...rows.map((row) => row.value), 0);
  const noted = Math.max(...rows.map((row) => (row.note || format(row.value)).length), 0);
  const size = 22, gap = 6, left = roomFor(rows), end = WIDTH - Math.min(Math.max(noted * 6.6 + 20, 90), 300);
  const at = (value) => left + (value - least) / (most - least || 1) * (end - left);
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

/* scale: {least, most, log, format, label}. */
const place = (scale, value) => scale.log
  ? Math.log(value / scale.least) / Math.log(scale.most / scale.least || 2) : (value - scale.least) / (scale.most - scale.least || 1);

const ticks = (scale, count) => {
  if (!scale.log) return roundSteps(scale.least, scale.most, count, scale.format);
  if (scale.format === asBytes) {
    const from = Math.ceil(Math.log2(scale.least) - 1e-6), to = Math.floor(Math.log2(scale.most) + 1e-6);
    const step = Math.max(1, Math.ceil((to - from) / count));
    return [...Array(Math.max(to - from + 1, 0)).keys()].filter((i) => i % step === 0).map((i) => 2 ** (from + i));
  }
  const decades = Math.log10(scale.most / scale.least);
  const list = [];
  for (let power = Math.floor(Math.log10(scale.least)); power <= Math.log10(scale.most); power++) {
    for (const f of decades > 3 ? [1] : [1, 2, 5]) {
      const at = f * 10 ** power;
      if (at >= scale.least * 0.999999 && at <= scale.most * 1.000001) list.push(at);
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
  const least = good.reduce((a, b) => Math.min(a, b), Infinity);
  const most = good.reduce((a, b) => Math.max(a, b), -Infinity);
  if (good.length === 0) return {least: 0, most: 1, log: false, format, label};
  if (log) return {least: least * 0.9, most: most * 1.1, log: true, format, label};
  const from = least > 0 && least < 0.5 * most ? 0 : least - 0.05 * (most - least || Math.abs(most));
  return {least: least >= 0 ? Math.max(from, 0) : from, most: most + 0.04 * (most - from || 1), log: false, format, label};
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
  const least = values.reduce((a, b) => Math.min(a, b), Infinity), most = values.reduce((a, b) => Math.max(a, b), 0);
  const level = (value) => most > least ? Math.round(Math.log(value / least) / Math.log(most / least) * 8) : 8;
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
    values.length > 0 && [...Array(9).keys()].filter((i) => most > least || i === 8).map((i) => [
      svg("rect", {x: left + side + 40, y: top + (8 - i) * 22, width: 22, height: 22, class: "heat-" + i}),
      (i === 0 || i === 4 || i === 8) && textAt(left + side + 70, top + (8 - i) * 22 + 11,
        format(least * (most / least) ** (i / 8)), {"dominant-baseline": "central", class: "small"})]));
  return drawn;
};
