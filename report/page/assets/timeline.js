/* A timeline to zoom into: a row for each track; wheel, buttons and arrow keys move and zoom. Only what is in view
 * is drawn, and what is narrower than a pixel with its neighbours. */

const TRACK = 18, TRACK_GAP = 3, TIMELINE_LEFT = 190, TIMELINE_TOP = 24;
const kindOfResource = {"compute": "compute", "CPU": "cpu", "local memory": "local", "remote memory": "remote",
  "collectives": "communication", "messages": "message", "waiting": "waiting"};

/* Tracks of the NPUs in one list; slices as {start, end, name, count}. */
const tracksOf = (timeline) => timeline.npus.flatMap((npu) => npu.tracks.map((track, i) => {
  const slices = [];
  for (let at = 0; at < track.slices.length; at += 4) {
    slices.push({start: track.slices[at], end: track.slices[at] + track.slices[at + 1],
      name: timeline.names[track.slices[at + 2]], count: track.slices[at + 3]});
  }
  const before = npu.tracks.slice(0, i).filter((other) => other.resource === track.resource).length;
  return {npu: npu.rank, ranks: npu.ranks, count: npu.count, resource: track.resource, label: track.resource + (before > 0 ? " " + (before + 1) : ""), slices};
}));

/* The first slice that ends after `time`: slices do not overlap, so that both ends ascend. */
const firstBehind = (slices, time) => {
  let low = 0, high = slices.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (slices[middle].end <= time) low = middle + 1; else high = middle;
  }
  return low;
};

const sayingOf = (slice, track) => "NPU " + track.npu + ", " + track.resource + ": " + (slice.count > 1
  ? slice.count + " operations, the longest " + slice.name : slice.name) +
  ", " + asTime(slice.end - slice.start) + " at " + asTime(slice.start);

const drawTrack = (track, y, view, out, readout) => {
  const scale = (WIDTH - TIMELINE_LEFT) / (view.to - view.from);
  const min = 0.6 / scale;
  for (let i = firstBehind(track.slices, view.from); i < track.slices.length && track.slices[i].start < view.to; i++) {
    const first = track.slices[i];
    let end = first.end;
    let last = i, count = first.count;
    while (last + 1 < track.slices.length && track.slices[last + 1].start - end < min &&
      track.slices[last + 1].end - end < 3 * min) {
      end = track.slices[++last].end;
      count += track.slices[last].count;
    }
    const from = Math.max(first.start, view.from), to = Math.min(Math.max(end, from), view.to);
    const x = TIMELINE_LEFT + (from - view.from) * scale, width = Math.max((to - from) * scale, 0.4);
    const bar = svg("rect", {x: x.toFixed(2), y, width: width.toFixed(2), height: TRACK,
      class: "fill-" + kindOfResource[track.resource]});
    const saying = sayingOf(first, track) + (last > i ? "; with " + (last - i) + " more, zoom in to tell them apart" : "");
    bar.append(svg("title", {}, saying));
    bar.addEventListener("click", () => readout.replaceChildren(saying));
    out.append(bar);
    if (width > 60) {
      out.append(textAt(x + 4, y + TRACK / 2, cut(count > 1 ? asCount(count) + " operations" : first.name, Math.floor(width / 7)), {"dominant-baseline": "central",
        class: "inside on-" + kindOfResource[track.resource]}));
    }
    i = last;
  }
};

/* Times of an axis; where they differ too little for six digits, the first whole and how much later the others are. */
const timesOfAxis = (steps) => steps.length < 2 || steps[1] - steps[0] >= 1e-5 * steps[steps.length - 1] ? axisTexts(steps, asTime)
  : steps.map((at, i) => i === 0 ? Number((at / 1e12).toPrecision(12)) + " s" : "+" + axisTexts([at - steps[0]], asTime)[0]);

/* `tracks`: tracksOf the timeline. */
const timelineView = (timeline, tracks, wall) => {
  const shown = {resources: new Set(tracks.map((track) => track.resource)),
    npus: new Set(timeline.npus.slice(0, 8).map((npu) => npu.rank))};
  const view = {from: 0, to: wall};
  const drawing = svg("g");
  const canvas = svg("svg", {class: "chart timeline", role: "application", tabindex: "0",
    "aria-label": "Timeline. Plus and minus zoom, the arrow keys move, 0 shows all."}, drawing);
  const readout = html("output", {class: "note"}, "Point at a bar, or click it, to read what it is.");
  const draw = () => {
    drawing.replaceChildren();
    const rows = tracks.filter((track) => shown.resources.has(track.resource) && shown.npus.has(track.npu));
    const height = TIMELINE_TOP + rows.length * (TRACK + TRACK_GAP) + 4;
    canvas.setAttribute("viewBox", "0 0 " + WIDTH + " " + height);
    const span = view.to - view.from;
    const steps = roundSteps(view.from, view.to, 6), texts = timesOfAxis(steps);
    steps.forEach((at, i) => {
      const x = TIMELINE_LEFT + (at - view.from) / span * (WIDTH - TIMELINE_LEFT);
      drawing.append(svg("line", {x1: x, x2: x, y1: TIMELINE_TOP - 4, y2: height, class: "grid"}),
        textAt(Math.min(x, WIDTH - 40), 12, texts[i], {"text-anchor": "middle", class: "small"}));
    });
    let npu = -1;
    rows.forEach((track, i) => {
      const y = TIMELINE_TOP + i * (TRACK + TRACK_GAP);
      if (track.npu !== npu) {
        drawing.append(textAt(0, y + TRACK / 2, (track.count > 1 ? "NPUs " : "NPU ") + cut(track.ranks, 10), {"dominant-baseline": "central"}),
          svg("line", {x1: 0, x2: WIDTH, y1: y - 2, y2: y - 2, class: "grid"}));
        npu = track.npu;
      }
      drawing.append(textAt(TIMELINE_LEFT - 6, y + TRACK / 2, track.label, {"text-anchor": "end", "dominant-baseline": "central",
        class: "small"}));
      drawTrack(track, y, view, drawing, readout);
    });
  };
  let asked = false;
  const redraw = () => {
    if (!asked) {
      asked = true;
      requestAnimationFrame(() => {
        asked = false;
        draw();
      });
    }
  };
  const zoom = (factor, around) => {
    const span = Math.min(Math.max((view.to - view.from) * factor, wall / 1e7, 1), wall);
    const middle = view.from + (view.to - view.from) * around;
    view.from = Math.min(Math.max(middle - span * around, 0), wall - span);
    view.to = view.from + span;
    redraw();
  };
  const move = (share) => {
    const span = view.to - view.from;
    view.from = Math.min(Math.max(view.from + share * span, 0), wall - span);
    view.to = view.from + span;
    redraw();
  };
  const shareAt = (event) => {
    const box = canvas.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width * WIDTH;
    return Math.min(Math.max((x - TIMELINE_LEFT) / (WIDTH - TIMELINE_LEFT), 0), 1);
  };
  canvas.addEventListener("wheel", (event) => {
    if (event.ctrlKey || event.shiftKey) {
      event.preventDefault();
      zoom(event.deltaY + event.deltaX > 0 ? 1.25 : 0.8, shareAt(event));
    }
  }, {passive: false});
  let dragged = null;
  canvas.addEventListener("pointerdown", (event) => { dragged = shareAt(event); });
  canvas.addEventListener("pointermove", (event) => {
    if (dragged !== null && event.buttons !== 0) {
      const now = shareAt(event);
      move(dragged - now);
      dragged = now;
    }
  });
  canvas.addEventListener("pointerup", () => { dragged = null; });
  canvas.addEventListener("dblclick", (event) => zoom(0.4, shareAt(event)));
  const keys = {"+": () => zoom(0.5, 0.5), "=": () => zoom(0.5, 0.5), "-": () => zoom(2, 0.5), "0": () => zoom(1e9, 0),
    ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2)};
  canvas.addEventListener("keydown", (event) => {
    if (keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
    }
  });
  const button = (text, label, act) => html("button", {type: "button", "aria-label": label, onclick: act}, text);
  const choice = (set, value, text) => html("label", {}, html("input", {type: "checkbox", checked: set.has(value),
    onchange: (event) => {
      if (event.currentTarget.checked) set.add(value); else set.delete(value);
      redraw();
    }}), text);
  draw();
  return html("div", {},
    html("p", {class: "controls"}, button("+", "zoom in", keys["+"]), button("−", "zoom out", keys["-"]),
      button("◀", "earlier", keys.ArrowLeft), button("▶", "later", keys.ArrowRight), button("all", "the whole job", keys["0"]),
      html("span", {class: "note"}, "Double click, or Ctrl and wheel, to zoom; drag to move.")),
    html("fieldset", {}, html("legend", {}, "Resources"),
      [...shown.resources].map((resource) => choice(shown.resources, resource, resource))),
    html("fieldset", {}, html("legend", {}, "NPUs, one of each class"),
      timeline.npus.map((npu) => choice(shown.npus, npu.rank, cut(String(npu.ranks), 14)))),
    legend([...new Set(tracks.map((track) => track.resource))].map((resource) => [resource, kindOfResource[resource]])),
    html("div", {class: "wide"}, canvas), readout);
};

/* How long each NPU's tracks are busy, for those who do not see the timeline. */
const timelineNumbers = (tracks) => table("Busy time of tracks", [
  {name: "npu", label: "NPU", text: String, left: true}, {name: "resource", label: "resource", left: true},
  {name: "operations", label: "operations"}, {name: "busy_ps", label: "busy"}],
tracks.map((track) => ({npu: track.npu, resource: track.resource,
  operations: track.slices.reduce((sum, slice) => sum + slice.count, 0),
  busy_ps: track.slices.reduce((sum, slice) => sum + slice.end - slice.start, 0)})), {limit: 30});
