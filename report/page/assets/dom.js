/* Elements, tables and figures. Text only ever becomes text: nothing is read as HTML. */

const SVG = "http://www.w3.org/2000/svg";

const fill = (element, attributes, children) => {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) {
      element.addEventListener(name.slice(2), value);
    } else if (value !== undefined && value !== null && value !== false) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  for (const child of (children || []).flat(9)) {
    if (child !== null && child !== undefined && child !== false) {
      element.append(child);
    }
  }
  return element;
};
const html = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
const svg = (name, attributes, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

let madeIds = 0;
const newId = (what) => what + "-" + ++madeIds;

/* ---- sections ---- */

/* A part of the page, which the list of sections names. */
const section = (title, ...children) => {
  const id = newId("part");
  return html("section", {id, "aria-labelledby": id + "-title", "data-title": title},
    html("h2", {id: id + "-title"}, title), children);
};
const missing = (why) => html("p", {class: "missing"}, "Not shown: " + why + ".");
const note = (...text) => html("p", {class: "note"}, text);

/* A picture with its title, and its numbers as a table for those who do not see it. */
const figure = (caption, picture, numbers) => html("figure", {},
  html("figcaption", {}, caption), picture,
  numbers && html("details", {class: "numbers"}, html("summary", {}, "Numbers"), numbers));

/* The text of an SVG file: as an image it runs no script and asks for nothing. */
const svgImage = (alt, text) => html("figure", {class: "paper"},
  html("img", {alt, src: "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text)}));

/* ---- tables ---- */

/* columns: {name, label, value(row), text(value, row), left}; without `value` it is row[name]. A cell keeps its number as
 * data-value. options: {limit: rows at first, fixed: heads do not sort, beside: heads are
 * names of results, however long}; heads sort where there are two rows or more. */
const table = (caption, columns, rows, options = {}) => {
  const body = html("tbody");
  const cell = (column, row, index) => {
    const value = column.value ? column.value(row) : row[column.name];
    const text = column.text ? column.text(value, row) : asResult(column.name, value);
    return html(index === 0 ? "th" : "td", {
      scope: index === 0 ? "row" : null,
      class: column.left ? null : "number",
      "data-name": column.name,
      "data-value": typeof value === "number" || typeof value === "boolean" ? String(value) : null,
    }, text);
  };
  const show = (list) => {
    body.replaceChildren(...list.map((row) =>
      html("tr", {class: row.mark ? "mark" : null}, columns.map((column, index) => cell(column, row, index)))));
  };
  const limit = options.limit || Infinity;
  let order = rows.slice();
  let all = rows.length <= limit;
  const refresh = () => show(all ? order : order.slice(0, limit));
  const heads = columns.map((column) => html("th", {scope: "col", class: column.left ? null : "number"},
    rows.length > 1 && !options.fixed
      ? html("button", {type: "button", class: "sort", title: "sort by " + column.label,
        onclick: (event) => sortBy(column, event.currentTarget.parentNode)}, column.label)
      : column.label));
  const sortBy = (column, head) => {
    const down = head.getAttribute("aria-sort") !== "descending";
    const valueOf = (row) => column.value ? column.value(row) : row[column.name];
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    order = rows.slice().sort((a, b) => {
      const x = valueOf(a), y = valueOf(b);
      const less = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
      return down ? -less : less;
    });
    refresh();
  };
  refresh();
  const more = all ? null : html("button", {type: "button", class: "more", onclick: (event) => {
    all = true;
    refresh();
    event.currentTarget.remove();
  }}, "Show all " + rows.length);
  return html("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption},
    html("table", {class: options.beside ? "beside" : null}, html("caption", {}, caption), html("thead", {}, html("tr", {}, heads)), body), more);
};

/* A table of names and values; entries: [label, text, number, name]. */
const facts = (entries) => html("dl", {class: "facts"}, entries.filter(Boolean).map(([label, text, value, name]) =>
  html("div", {}, html("dt", {}, label),
    html("dd", {"data-name": name, "data-value": typeof value === "number" ? String(value) : null}, text))));

/* A fact of an object by its key; nothing if it is not known. */
const factOf = (object, key, label) => object[key] !== undefined && typeof object[key] !== "object" &&
  [label || asWords(key), asResult(key, object[key]), object[key], key];

/* Whether a column is of texts: no row has a number there. */
const isText = (rows, name) => !rows.some((row) => typeof row[name] === "number");

/* [0,1,2,5] as "0-2, 5"; what holds more than plain values as JSON. */
const listText = (value) => {
  if (!Array.isArray(value) || value.some((each) => each !== null && typeof each === "object")) return JSON.stringify(value);
  const parts = [];
  for (let i = 0; i < value.length; i++) {
    let last = i;
    while (Number.isInteger(value[last]) && value[last + 1] === value[last] + 1) last++;
    parts.push(last > i + 1 ? value[i] + "-" + value[last] : String(value[i]));
    if (last > i + 1) i = last;
  }
  return parts.join(", ");
};

/* Keys of a result that are also written by their current name; each goes with the next release. */
const DEPRECATED = {spread: "std_dev", prior_spread: "prior_std_dev", borrow_ps: "detour_ps"};
const currentKeys = (row) => Object.keys(row).filter((key) => !(DEPRECATED[key] in row));

/* A list of objects as a table, whatever they hold; what is 0 in all of them is left out. */
const anyTable = (caption, rows, options) => {
  const names = [];
  for (const row of rows.slice(0, 50)) {
    for (const name of currentKeys(row)) {
      if (!names.includes(name) && rows.some((other) => other[name] !== 0)) names.push(name);
    }
  }
  return table(caption, names.map((name) => ({name, label: asWords(name), left: isText(rows, name),
    text: (value) => value !== null && typeof value === "object" ? listText(value) : asResult(name, value)})),
    rows, {limit: 40, ...options});
};

/* A table that a word filters. */
const filtered = (label, rows, make) => {
  const place = html("div", {}, make(rows));
  const id = newId("filter");
  return html("div", {},
    html("p", {class: "filter"}, html("label", {for: id}, label + " "),
      html("input", {id, type: "search", oninput: (event) => {
        const word = event.currentTarget.value.toLowerCase();
        const found = rows.filter((row) => JSON.stringify(row).toLowerCase().includes(word));
        place.replaceChildren(found.length > 0 ? make(found) : note("No row has that."));
      }})), place);
};
