#!/usr/bin/env python3
"""Holds pages of results to what they promise, in a browser.

    usage: check.py < CHECKS

A line each, words as a shell's, @FILE for the text of a file; what does not hold is printed, and the exit status is 1. 77: there is no browser.

    open PAGE                 the page that what follows is about; prints how long it took (bench/pages.sh has goals)
    quiet                     no error or warning of the console
    alone                     no request but of what stands in the page, no address in its text
    clean                     both
    figures RESULT.json       every figure that the page shows is the result's, as number and as text, and none is left out
    together RESULT.json...   the same of runs side by side
    says SECTION TEXT         a section has the text
    fact NAME VALUE           a figure of its head, as a number
    shows TEXT                the page has the text, wherever
    title TEXT                the page's title and its first heading
    worded                    nothing reads NaN, undefined or the like
    within WIDTH              nothing makes the page wider than a window of so many pixels
    inert                     no element but those that pages are made of, and no attribute that runs anything
    accessible                names of pictures, buttons and tables, ids, the order of Tab
    keyboard                  keys move the timeline, heads sort tables, words filter them
    colours                   light, dark and printed differ as they must
    print PAGES               so many pages on paper, or more
    fails TEXT CHECK...       the check must fail, and say the text
"""
import json
import os
import shlex
import sys

import browser
import figures
import reading

CHECKS = {}


def check(function):
    CHECKS[function.__name__.rstrip("_")] = function
    return function


@check
def quiet(page):
    assert not page.complaints, "; ".join(page.complaints[:3])


@check
def alone(page):
    assert not page.requests, "asks for " + ", ".join(page.requests[:3])
    with open(page.path, encoding="utf-8") as file:
        text = file.read()
    head, data = text.split('id="data">', 1)
    script = data.split("</script>", 1)[1]
    for part in (head, script):
        left = part.replace('"http://www.w3.org/2000/svg"', "")
        for address in ("http:", "https:", "//cdn", "url(", "@import", "fetch(", "XMLHttpRequest", "WebSocket"):
            assert address not in left, f"{address} stands in the page"
    assert head.count("<link") == 1 and '<link rel="icon" href="data:,">' in head, "a link to something else"


@check
def clean(page):
    quiet(page)
    alone(page)


@check
def figures_(page, *results):
    figures.check(page, [reading.result(each) for each in results])


@check
def together(page, *results):
    figures.check_together(page, [reading.result(each) for each in results])


@check
def says(page, section, text):
    found = page.value("""[...document.querySelectorAll('section')].filter((each) => each.dataset.title === %s)
        .map((each) => each.textContent).join('\\n')""" % json.dumps(section))
    assert found, f"there is no section {section}"
    assert text in found, f"section {section} says not {text!r} but {found[:300]!r}"


@check
def fact(page, name, value):
    found = page.value(f"[...document.querySelectorAll('dd[data-name={name}]')].map((each) => each.dataset.value)")
    assert found == [value], f"{name} is {found}"


@check
def shows(page, text):
    assert text in page.value("document.querySelector('main').textContent"), f"the page shows no {text!r}"


@check
def title(page, text):
    found = page.value("document.querySelector('h1').textContent")
    assert found == text, f"the heading is {found!r}"
    # A title is told without what is blank at its ends and in between.
    named = page.value("document.title")
    assert named == " ".join((text + " - Orrery").split()), f"the title is {named!r}"


@check
def worded(page):
    page.value("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.drawn()
    text = page.value("document.body.textContent.split(document.getElementById('data').textContent)[0]")
    found = [word for word in ("NaN", "undefined", "Infinity", "[object", "null") if word in text]
    assert not found, f"the page shows {found[0]}: {text[max(text.index(found[0]) - 60, 0):][:120]!r}"


@check
def within(page, width):
    page.tell("Emulation.setDeviceMetricsOverride", width=int(width), height=900, deviceScaleFactor=1, mobile=False)
    page.drawn()
    found = page.value("document.documentElement.scrollWidth")
    page.tell("Emulation.clearDeviceMetricsOverride")
    assert found <= int(width), f"the page is {found} pixels wide"


@check
def inert(page):
    assert page.value("[...document.querySelectorAll('script')].length") == 2, "scripts were added"
    wrong = page.value("""[...document.querySelectorAll('*')].flatMap((element) => [...element.attributes]
        .filter(({name, value}) => /^on/.test(name) || /javascript:/.test(value)).map(({name}) => element.tagName + ' ' + name))""")
    assert not wrong, f"attributes that run something: {wrong}"
    known = set("""html head meta link title style body a header h1 p nav ul li main section h2 h3 h4 figure figcaption div dl dt
        dd table caption thead tbody tr th td span button label input select option fieldset legend details summary output footer
        script noscript svg g rect line path text circle polygon img code ol strong em""".split())
    found = set(page.value("[...new Set([...document.querySelectorAll('*')].map((each) => each.localName))]"))
    assert found <= known, f"elements that no page has: {found - known}"
    assert page.value("window.hurt === undefined"), "a name has run"


ACCESSIBLE = """(() => {
  const wrong = [], all = (what) => [...document.querySelectorAll(what)];
  const named = (each) => (each.getAttribute('aria-label') || each.textContent).trim() !== '';
  const say = (what, list) => { if (list.length > 0) wrong.push(list.length + ' ' + what + ': ' + list[0].outerHTML.slice(0, 120)); };
  say('pictures without a name', all("svg[role=img], svg[role=application], [role=region]").filter((each) => !each.getAttribute('aria-label')));
  say('pictures without a role', all('svg').filter((each) => !each.getAttribute('role')));
  say('images without a text', all('img').filter((each) => !each.alt));
  say('sections without a heading', all('section').filter((each) => !each.querySelector('h2, h3')));
  say('sections whose name is none', all('[aria-labelledby]').filter((each) => !document.getElementById(each.getAttribute('aria-labelledby'))));
  say('tables without a caption', all('table').filter((each) => !each.caption || each.caption.textContent.trim() === ''));
  say('heads without a scope', all('th').filter((each) => !each.scope));
  say('rows without a head', all('tbody tr').filter((each) => !each.querySelector('th') && each.cells.length > 0 && each.closest('table').tHead === null));
  say('buttons without a name', all('button').filter((each) => !named(each)));
  say('inputs without a label', all('input, select').filter((each) => each.labels.length === 0 && !each.getAttribute('aria-label')));
  say('labels of nothing', all('label').filter((each) => each.control === null));
  say('links to nothing', all('a[href^="#"]').filter((each) => !document.getElementById(each.getAttribute('href').slice(1))));
  say('places in the order of Tab', all('[tabindex]').filter((each) => !['0', '-1'].includes(each.getAttribute('tabindex'))));
  const ids = all('[id]').map((each) => each.id), twice = ids.filter((id, i) => ids.indexOf(id) !== i);
  if (twice.length > 0) wrong.push('ids twice: ' + twice.slice(0, 3));
  if (all('h1').length !== 1) wrong.push(all('h1').length + ' h1');
  if (all('main').length !== 1 || !all('nav')[0].getAttribute('aria-label')) wrong.push('no landmarks');
  if (!document.documentElement.lang) wrong.push('no language');
  const levels = all('h1, h2, h3, h4').map((each) => Number(each.localName[1]));
  if (levels.some((level, i) => i > 0 && level > levels[i - 1] + 1)) wrong.push('headings skip a level: ' + levels);
  return wrong;
})()"""

# Of colours on the page's own ground: contrast as WCAG 2 counts it, 4.5 for text.
CONTRAST = """(() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => parts(colour).slice(0, 3).map((c) => c / 255)
    .map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (each) => { for (; each; each = each.parentElement) {
    const colour = getComputedStyle(each).backgroundColor;
    if (parts(colour).length === 3 || parts(colour)[3] > 0.99) return colour; } return 'rgb(255, 255, 255)'; };
  const wrong = [];
  for (const each of document.querySelectorAll('p, dt, dd, th, td, caption, figcaption, a, button, li, summary, h1, h2, svg text')) {
    if (each.closest('.paper, .inside') || !each.textContent.trim() || !each.checkVisibility()) continue;
    const ink = each.localName === 'text' ? getComputedStyle(each).fill : getComputedStyle(each).color;
    const pair = [light(ink), light(ground(each))].sort((a, b) => b - a), ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (ratio < 4.5) wrong.push(ratio.toFixed(2) + ' ' + each.outerHTML.slice(0, 100));
  }
  return wrong;
})()"""


@check
def accessible(page):
    wrong = page.value(ACCESSIBLE)
    assert not wrong, "; ".join(wrong)
    stops = "[...document.querySelectorAll('a, button, input, select, summary, [tabindex=\"0\"]')].filter((each) => each.checkVisibility())"
    page.value(f"{stops}[0].focus()")
    want, order = list(range(1, min(5, page.value(f"{stops}.length")))), []
    for _ in want:
        page.key("Tab")
        order.append(page.value(f"{stops}.indexOf(document.activeElement)"))
    assert order == want, f"Tab goes to {order}, not {want}"


def ticks(page):
    return page.value("[...document.querySelectorAll('svg.timeline text.small')].map((each) => each.textContent)")


@check
def keyboard(page):
    page.value("document.querySelector('svg.timeline').focus()")
    whole = ticks(page)
    seen = [whole]
    for key in ("+", "+", "ArrowRight", "ArrowLeft", "-"):
        page.key(key)
        page.drawn()
        seen.append(ticks(page))
        assert seen[-1] != seen[-2], f"{key} changes nothing: {seen[-1][:4]}"
    assert seen[4] == seen[2], "ArrowLeft does not take ArrowRight back"
    for _ in range(30):
        page.key("+")
    page.drawn()
    near = [text for text in ticks(page) if text.split()[-1] in ("s", "ms", "us", "ns", "ps")]
    assert len(set(near)) == len(near) > 1, f"times of the nearest view: {near}"
    page.key("0")
    page.drawn()
    assert ticks(page) == whole, "0 does not show the whole"
    bars = "document.querySelectorAll('svg.timeline rect').length"
    before = page.value(bars)
    page.value("document.querySelector('fieldset input').click()")
    page.drawn()
    assert page.value(bars) < before, "a resource that is not wanted is drawn"
    page.value("document.querySelector('fieldset input').click()")
    page.drawn()
    assert page.value(bars) == before, "a resource that is wanted again is not drawn"
    sorting(page)
    filtering(page)


def sorting(page):
    """Every table that sorts, by every head, with the Enter key on the first of them."""
    wrong = page.value("""(() => {
      const wrong = [];
      for (const table of document.querySelectorAll('table')) {
        const heads = [...table.tHead.rows[0].cells];
        heads.forEach((head, column) => {
          const button = head.querySelector('button');
          if (!button) return;
          const values = () => [...table.tBodies[0].rows].map((row) => row.cells[column].dataset.value)
            .filter((value) => value !== undefined && !isNaN(value)).map(Number);
          for (const order of ['descending', 'ascending']) {
            button.click();
            if (head.getAttribute('aria-sort') !== order) wrong.push(head.textContent + ' is not ' + order);
            const got = values(), want = got.slice().sort((a, b) => order === 'descending' ? b - a : a - b);
            if (got.some((value, i) => value !== want[i])) wrong.push(head.textContent + ': ' + got.slice(0, 5));
          }
          if (heads.filter((each) => each.hasAttribute('aria-sort')).length !== 1) wrong.push('two heads sort');
        });
      }
      return wrong.concat(document.querySelector('table button.sort') ? [] : ['no table sorts']);
    })()""")
    assert not wrong, "; ".join(wrong[:5])


def filtering(page):
    shown = "document.querySelector('input[type=search]').closest('div').querySelectorAll('tbody tr').length"
    page.value("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    before = page.value(shown)
    page.value("document.querySelector('input[type=search]').focus()")
    page.write("network.topology")
    after = page.value(shown)
    texts = page.value("[...document.querySelector('input[type=search]').closest('div').querySelectorAll('tbody tr')]"
                       ".map((row) => row.textContent)")
    assert 0 < after < before, f"of {before} rows a word leaves {after}"
    assert all("network.topology" in text for text in texts), f"a word leaves {texts}"
    page.write(" which none has")
    said = page.value("document.querySelector('input[type=search]').closest('div').textContent")
    assert "No row has that." in said, f"a word that no row has leaves {said[:80]!r}"


@check
def colours(page):
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.value(ground)
    faint = page.value(CONTRAST)
    page.media(prefers_color_scheme="dark")
    dark, faint_dark = page.value(ground), page.value(CONTRAST)
    page.media(media="print", prefers_color_scheme="dark")
    printed = page.value(ground)
    page.media()
    assert light == printed == "rgb(255, 255, 255)", f"light is {light}, printed {printed}"
    assert all(int(part) < 64 for part in dark[4:-1].split(",")), f"dark is {dark}"
    assert not faint, "light: " + "; ".join(faint[:3])
    assert not faint_dark, "dark: " + "; ".join(faint_dark[:3])


@check
def print_(page, least):
    data = reading.pdf(page)
    assert data.startswith(b"%PDF-"), "no PDF"
    pages = reading.pdf_pages(data)
    assert pages >= int(least), f"{pages} pages on paper"


def wrong_with(page, words):
    """What is wrong, or None."""
    try:
        CHECKS[words[0]](page, *words[1:])
    except AssertionError as wrong:
        return str(wrong) or "it does not hold"
    return None


def hold(page, words):
    if words[0] != "fails":
        return wrong_with(page, words)
    wrong = wrong_with(page, words[2:])
    return None if wrong is not None and words[1] in wrong else f"must fail, but: {wrong}"


def words_of(line):
    words = shlex.split(line, comments=True)
    for i, word in enumerate(words):
        if word.startswith("@"):
            with open(word[1:], encoding="utf-8") as file:
                words[i] = file.read().rstrip("\n")
    return words


def main():
    if browser.find() is None:
        print("skipped: needs the Debian package chromium")
        return 77
    failures = 0
    with browser.Browser() as window:
        page = None
        for line in sys.stdin:
            words = words_of(line)
            if not words:
                continue
            wrong = None
            if words[0] == "open":
                assert os.path.exists(words[1]), f"there is no {words[1]}"
                page = window.open(words[1])
                print(f"{words[1]}: ready after {page.seconds:.2f} s")
            else:
                wrong = hold(page, words)
            if wrong is not None:
                print(f"{page.path}: {line.strip()}: {wrong}")
                failures += 1
    return 1 if failures else 0


sys.exit(main())
