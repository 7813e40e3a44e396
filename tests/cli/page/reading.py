"""What pages and results hold: results from files, texts as numbers, a page's figures, its paper."""
import base64
import json
import re


def result(path):
    """A JSON value, or the lines of a sweep."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return {"points": [json.loads(line) for line in text.splitlines()]}


UNITS = {"s": 1e12, "ms": 1e9, "us": 1e6, "ns": 1e3, "ps": 1, "%": 0.01, "": 1, "x": 1,
         "TiB": 2**40, "GiB": 2**30, "MiB": 2**20, "KiB": 2**10, "B": 1,
         "TB/s": 1e12, "GB/s": 1e9, "MB/s": 1e6, "kB/s": 1e3, "B/s": 1}
UNITS.update({prefix + "FLOP" + end: size for end in ("", "/s")
              for prefix, size in (("E", 1e18), ("P", 1e15), ("T", 1e12), ("G", 1e9), ("", 1))})
NUMBER = re.compile(r"^([-\u2212]?)([\d\u2009\u202f ,]*\.?\d+)(e[-+]?\d+)?\s*([A-Za-z%/]*)$")


def number(text):
    """(number, how far from it what was rounded may lie), or None."""
    found = NUMBER.match(text.strip())
    if not found or found[4] not in UNITS:
        return None
    digits = re.sub(r"[\u2009\u202f ,]", "", found[2])
    power = 10.0 ** int(found[3][1:]) if found[3] else 1.0
    unit = UNITS[found[4]] * power
    step = 10.0 ** -len(digits.split(".")[1]) if "." in digits else 1.0
    value = float(digits) * unit * (-1 if found[1] else 1)
    # A count of more than 6 digits may be told by its first 6.
    return value, max(0.501 * step * unit, 5.01e-6 * abs(value) if "." not in digits or found[3] else 0)


def told(text, value):
    """Whether the text is the value, as far as it is told."""
    if isinstance(value, bool):
        return text == ("yes" if value else "no")
    if text == "unlimited":
        return value >= 1e24 or value == 0
    read = number(text)
    return read is not None and abs(read[0] - value) <= read[1]


SHOWN = """(() => {
  const of = (each) => ({name: each.dataset.name, value: each.dataset.value === undefined ? null : each.dataset.value,
    text: each.textContent});
  const where = (each) => {
    const section = each.closest('section'), fold = each.closest('[data-result]');
    return {section: section ? section.dataset.title : null, result: fold ? Number(fold.dataset.result) : null};
  };
  return {
    facts: [...document.querySelectorAll('dd[data-name]')].map((each) => ({...of(each), ...where(each)})),
    tables: [...document.querySelectorAll('table')].map((each) => ({caption: each.caption.textContent, ...where(each),
      rows: [...each.tBodies[0].rows].map((row) => [...row.cells].map(of))})),
    stray: [...document.querySelectorAll('[data-value]')].filter((each) => !each.closest('table, dd')).length};
})()"""


def shown(page):
    """All figures of a page, with every fold open and no row held back."""
    page.value("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.drawn()
    page.value("document.querySelectorAll('button.more').forEach((each) => each.click())")
    found = page.value(SHOWN)
    for cell in found["facts"] + [cell for table in found["tables"] for row in table["rows"] for cell in row]:
        if cell["value"] is not None:
            cell["value"] = json.loads(cell["value"])
    return found


def pdf(page):
    return base64.b64decode(page.tell("Page.printToPDF", printBackground=True)["data"])


def pdf_pages(data):
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", data))
