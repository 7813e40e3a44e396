"""Plots by matplotlib where it is there, else as SVG."""
from __future__ import annotations

import os
from html import escape
from typing import Any, Mapping, Sequence, Union

COLORS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb", "#222222")
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 640, 360, 80, 50, 20, 170


class Svg(str):
    """A picture: notebooks show it, ``save(path)`` writes it."""

    def save(self, path: "Union[str, os.PathLike[str]]") -> None:
        """Writes it to a file."""
        with open(path, "w", encoding="utf-8") as out:
            out.write(self)

    savefig = save

    def _repr_svg_(self) -> str:
        return str(self)


def _axes() -> Any:
    if os.environ.get("ORRERY_PLOTS") == "svg":
        return None
    try:
        import matplotlib.pyplot as pyplot
    except ImportError:
        return None
    return pyplot.figure().add_subplot()


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def lines(series: Mapping[str, Sequence[tuple[Any, Any]]], x: str, y: str, group: str = "") -> Any:
    """A line for each series of points (x, y); values of x that are no numbers are put at equal distances."""
    axes = _axes()
    if axes is None:
        return svg_lines(series, x, y, group)
    for name, points in series.items():
        axes.plot([a if _is_number(a) else str(a) for a, _ in points], [b for _, b in points], "o-", label=name)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    if len(series) > 1:
        axes.legend(title=group)
    return axes


def bars(labels: Sequence[str], parts: Mapping[str, Sequence[float]], unit: str) -> Any:
    """A bar for each label, of parts on top of each other."""
    axes = _axes()
    if axes is None:
        return svg_bars(labels, parts, unit)
    at = [0.0] * len(labels)
    for name, values in parts.items():
        if any(values):
            axes.barh(labels, values, left=at, label=name)
            at = [a + b for a, b in zip(at, values)]
    axes.set_xlabel(unit)
    axes.legend()
    return axes


def svg_of(thing: Any) -> str:
    """The SVG that ``thing.plot()`` makes without matplotlib, or "" if there is nothing to plot."""
    before = os.environ.get("ORRERY_PLOTS")
    os.environ["ORRERY_PLOTS"] = "svg"
    try:
        return str(thing.plot()) if len(getattr(thing, "axes", ("",))) else ""
    except (ValueError, TypeError):  # values without an order
        return ""
    finally:
        if before is None:
            del os.environ["ORRERY_PLOTS"]
        else:
            os.environ["ORRERY_PLOTS"] = before


def _svg(body: Sequence[str], height: int) -> Svg:
    return Svg(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="sans-serif" '
               f'font-size="12">' + "".join(body) + "</svg>")


def _text(x: float, y: float, text: Any, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(str(text))}</text>'


def _short(value: float) -> str:
    return f"{value:.4g}"


def svg_lines(series: Mapping[str, Sequence[tuple[Any, Any]]], x: str, y: str, group: str) -> Svg:
    """`lines` without matplotlib."""
    every = [a for points in series.values() for a, _ in points]
    numbers = all(_is_number(a) for a in every)
    places = sorted(set(every)) if numbers else list(dict.fromkeys(map(str, every)))
    low, high = (places[0], places[-1]) if numbers and places else (0, max(len(places) - 1, 1))
    top = max([b for points in series.values() for _, b in points], default=1) or 1

    def at(a: Any, b: float) -> tuple[float, float]:
        share = (a - low) / ((high - low) or 1) if numbers else places.index(str(a)) / (high or 1)
        return LEFT + share * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - b / top * (HEIGHT - BOTTOM - TOP)

    body = [f'<path d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}" fill="none" stroke="#333"/>',
            _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, x), _text(LEFT - 6, TOP + 4, _short(top), "end"),
            _text(LEFT - 6, HEIGHT - BOTTOM, "0", "end"), _text(12, TOP - 6, y, "start")]
    for place in (places if len(places) <= 8 else [places[0], places[len(places) // 2], places[-1]]):
        body.append(_text(at(place, 0)[0], HEIGHT - BOTTOM + 16, _short(place) if numbers else place))
    if len(series) > 1:
        body.append(_text(WIDTH - RIGHT + 10, TOP, group, "start"))
    for index, (name, points) in enumerate(series.items()):
        color = COLORS[index % len(COLORS)]
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in (at(*point) for point in points))
        body.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="1.5"/>')
        body += [f'<circle cx="{at(*point)[0]:.1f}" cy="{at(*point)[1]:.1f}" r="2.5" fill="{color}"/>' for point in points]
        if len(series) > 1 and index < 16:
            row = TOP + 18 * (index + 1)
            body += [f'<rect x="{WIDTH - RIGHT + 10}" y="{row - 9}" width="10" height="10" fill="{color}"/>',
                     _text(WIDTH - RIGHT + 26, row, name, "start")]
    return _svg(body, HEIGHT)


def svg_bars(labels: Sequence[str], parts: Mapping[str, Sequence[float]], unit: str) -> Svg:
    """`bars` without matplotlib."""
    shown = {name: values for name, values in parts.items() if any(values)}
    longest = max([sum(values[row] for values in shown.values()) for row in range(len(labels))], default=1) or 1
    scale, body = (WIDTH - LEFT - 20) / longest, []
    for row, label in enumerate(labels):
        at, y = float(LEFT), TOP + 24 * row
        body.append(_text(LEFT - 6, y + 13, label, "end"))
        for index, (name, values) in enumerate(shown.items()):
            title = f"<title>{escape(name)}: {_short(values[row])} {unit}</title>"
            body.append(f'<rect x="{at:.1f}" y="{y}" width="{values[row] * scale:.1f}" height="18" '
                        f'fill="{COLORS[index % len(COLORS)]}">{title}</rect>')
            at += values[row] * scale
    y = TOP + 24 * len(labels) + 20
    at = float(LEFT)
    for index, name in enumerate(shown):
        body += [f'<rect x="{at:.1f}" y="{y - 10}" width="10" height="10" fill="{COLORS[index % len(COLORS)]}"/>',
                 _text(at + 14, y, name, "start")]
        at += 24 + 7 * len(name)
    body.append(_text(WIDTH - 10, y + 20, f"{_short(longest)} {unit}", "end"))
    return _svg(body, y + 30)
