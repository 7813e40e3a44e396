/* Points of two numbers, in groups, with the Pareto front of each group. */

const GROUP_KINDS = ["compute", "communication", "local", "cpu", "waiting", "remote", "message", "idle", "more-0", "more-1", "more-2",
  "more-3", "more-4", "more-5", "more-6", "more-7"];
const groupKind = (index) => GROUP_KINDS[index % GROUP_KINDS.length];

/* The Pareto front: the points that no other beats in both x and y (less is better), by ascending x. */
const frontOf = (points) => {
  const sorted = points.slice().sort((a, b) => a.x - b.x || a.y - b.y);
  let min = Infinity;
  return sorted.filter((point) => {
    const kept = point.y < min;
    min = Math.min(min, point.y);
    return kept;
  });
};

const spansDecades = (values) => {
  const good = values.filter((value) => value > 0);
  return good.length === values.length && good.length > 1 &&
    good.reduce((a, b) => Math.max(a, b)) / good.reduce((a, b) => Math.min(a, b)) > 50;
};

/* `fronts`: a line along the front of each group; `joined`: along all of it; `equal`: where both numbers are the same. groups: [{name, points: [{x, y, text}]}]; axes: {label, format}. A thousand points are a thousand marks of one path
 * each group, so that ten thousand draw at once; the nearest one is described at the pointer. */
const scatter = (label, given, xAxis, yAxis, {fronts, joined, equal} = {}) => {
  const groups = given.map((group) => ({...group, points: group.points.filter((p) => isNumber(p.x) && isNumber(p.y))}));
  const height = 440, all = groups.flatMap((group) => group.points);
  const x = scaleOf(all.map((p) => p.x), xAxis.label, xAxis.format, spansDecades(all.map((p) => p.x)));
  const y = scaleOf(all.map((p) => p.y), yAxis.label, yAxis.format, spansDecades(all.map((p) => p.y)));
  const plot = axes(x, y, WIDTH, height);
  const readout = html("output", {class: "note"}, "Point at the picture to read the nearest point.");
  const radius = all.length > 2000 ? 1.6 : all.length > 200 ? 2.4 : 4;
  const marks = groups.map((group, i) => svg("path", {class: "fill-" + groupKind(i), "fill-opacity": 0.75, d: group.points.map((p) => {
    const cx = plot.atX(p.x).toFixed(1), cy = plot.atY(p.y).toFixed(1);
    return "M" + cx + " " + cy + "m" + -radius + " 0a" + radius + " " + radius + " 0 1 0 " + 2 * radius + " 0a" + radius + " " +
      radius + " 0 1 0 " + -2 * radius + " 0";
  }).join("")}, svg("title", {}, group.name)));
  const along = (group) => joined ? group.points.slice().sort((a, b) => a.x - b.x) : frontOf(group.points);
  const lines = fronts || joined ? groups.map((group, i) => svg("path", {class: "line stroke-" + groupKind(i), d: along(group).map((p, k) =>
    (k === 0 ? "M" : "L") + plot.atX(p.x).toFixed(1) + " " + plot.atY(p.y).toFixed(1)).join("")})) : [];
  const from = Math.max(x.min, y.min), to = Math.min(x.max, y.max);
  const same = equal && to > from && svg("path", {class: "equal", d: "M" + plot.atX(from).toFixed(1) + " " + plot.atY(from).toFixed(1) + "L" +
    plot.atX(to).toFixed(1) + " " + plot.atY(to).toFixed(1)}, svg("title", {}, "both are the same"));
  const wide = picture(height, label, plot.lines, same, lines, marks), drawn = wide.firstElementChild;
  const near = svg("circle", {r: radius + 4, class: "near", cx: -99, cy: -99});
  drawn.append(near);
  drawn.addEventListener("pointermove", (event) => {
    const box = drawn.getBoundingClientRect(), px = (event.clientX - box.left) / box.width * WIDTH,
      py = (event.clientY - box.top) / box.height * height;
    let best = null, min = Infinity;
    for (const p of all) {
      const distance = (plot.atX(p.x) - px) ** 2 + (plot.atY(p.y) - py) ** 2;
      if (distance < min) {
        min = distance;
        best = p;
      }
    }
    if (best) {
      near.setAttribute("cx", plot.atX(best.x));
      near.setAttribute("cy", plot.atY(best.y));
      readout.replaceChildren(best.text);
    }
  });
  return html("div", {}, groups.length > 1 && legend(groups.map((group, i) => [group.name, groupKind(i)])), wide, readout);
};
