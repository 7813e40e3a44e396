/* The page as a whole: the parts of each result, and the list of sections. */

const whatifShort = (whatif) => section("In short", facts([factOf(whatif, "wall_ps"), factOf(whatif, "npus")]));
const makers = {run: runParts, whatif: [["In short", whatifShort], ["What would help", whatifPart]], sweep: [["Points", sweepParts]],
  topoopt: [["The plan", topooptParts]], layout_search: [["The layouts", layoutsParts]], sip_ml: [["The plan", sipMlParts]], fit: [["The fit", fitParts]], bench: [["Runs", benchParts]],
  measured: [["Rows", measuredParts]], failures: [["Failures", failuresParts]], cluster: [["Jobs", clusterParts]], profile: [["Profiles", profileParts]],
  beside: [["Variants", comparisonParts]], diff: [["What differs", diffParts]]};

/* One part, isolated: an error in it, as with results of other versions, does not affect other parts. */
const made = ([title, maker], data) => {
  try {
    return [maker(data)].flat().filter(Boolean);
  } catch {
    return [section(title, missing("the result is not in the form of this version of Orrery"))];
  }
};

/* A result of a kind without a part of its own: its figures, and its lists as tables. */
const plainParts = (data) => {
  const plain = Object.entries(data).filter(([, value]) => value === null || typeof value !== "object");
  const lists = Object.entries(data).filter(([, value]) => Array.isArray(value) && value.length > 0);
  const objects = Object.entries(data).filter(([, value]) => value !== null && typeof value === "object" && !Array.isArray(value));
  return [plain.length > 0 && section("In short", facts(plain.map(([name, value]) =>
    [asWords(name), asResult(name, value), typeof value === "number" ? value : undefined, name]))),
  ...lists.map(([name, list]) => section(asWords(name), typeof list[0] === "object" && list[0] !== null
    ? anyTable(asWords(name), list) : html("ul", {}, list.slice(0, 400).map((value) => html("li", {}, asResult(name, value)))))),
  ...objects.map(([name, value]) => section(asWords(name), facts(Object.entries(value).map(([key, each]) =>
    [asWords(key), typeof each === "object" ? JSON.stringify(each) : asResult(key, each)]))))];
};

/* Pictures that came with a result. */
const picturesOf = (result) => (result.pictures || []).map((each) => section(each.title, svgImage(each.title, each.svg)));

const oneResult = (result) => {
  const [first, ...others] = (makers[result.kind] || [["The result", plainParts]]).flatMap((maker) => made(maker, result.data));
  return [first, ...picturesOf(result), ...others];
};

/* Each in a fold of its own below what they have in common. */
const manyResults = (results, open) => results.map((result, i) => html("details", {class: "result", id: newId("result"), open, "data-title": result.name},
  html("summary", {}, html("h2", {}, result.name)), html("p", {}, result.verdict),
  html("div", {class: "parts", "data-result": String(i)})));

/* Parts are made when a fold opens: a page of many runs opens at once. */
const makeWhenOpen = (fold, result) => {
  const make = () => {
    const place = fold.querySelector(".parts");
    if (fold.open && place.childElementCount === 0) {
      place.append(...oneResult(result));
    }
  };
  fold.addEventListener("toggle", make);
  window.addEventListener("beforeprint", () => {
    fold.open = true;
    make();
  });
  make();
};

const listSections = (main) => {
  document.getElementById("sections").replaceChildren(html("ul", {}, [...main.children].filter((part) => part.dataset.title).map((part) =>
    html("li", {}, html("a", {href: "#" + part.id, onclick: () => { part.open = true; }}, part.dataset.title)))));
};

const showPage = () => {
  const page = JSON.parse(document.getElementById("data").textContent);
  const main = document.getElementById("content");
  const results = page.results;
  const runs = results.filter((result) => result.kind === "run");
  if (results.length === 1) {
    main.replaceChildren(...oneResult(results[0]));
  } else {
    const folds = manyResults(results, runs.length < 2);
    main.replaceChildren(...(runs.length > 1 ? made(["Side by side", compareParts], runs) : []), ...folds);
    folds.forEach((fold, i) => makeWhenOpen(fold, results[i]));
  }
  listSections(main);
  document.getElementById("foot").replaceChildren(html("p", {}, "Made by orrery " + page.orrery + (page.command ? " with " : ""),
    page.command && html("code", {}, page.command), ". This page asks for nothing from anywhere; its data are in it. "),
  html("p", {}, html("button", {type: "button", onclick: () => {
    const link = html("a", {download: "result.json", href: URL.createObjectURL(new Blob(
      [JSON.stringify(results.length === 1 ? results[0].data : results.map((result) => result.data), null, 2)],
      {type: "application/json"}))});
    link.click();
  }}, "Save the data as JSON")));
  document.body.dataset.ready = "true";
};

showPage();
