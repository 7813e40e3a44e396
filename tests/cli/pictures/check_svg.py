#!/usr/bin/env python3
"""Holds pictures to what a reader needs: every text lies within the canvas, and none is a subscript.

    usage: check_svg.py PICTURE.svg

Writes what the picture shows into three files of the working folder: `texts`, a line each, `nodes`, lines "LABEL X Y"
in whole points, of all nodes by Graphviz with one text in a shape, and `marks`, the number of points that a chart has. Widths of texts are those of Helvetica, whose figures stand below in thousandths of the size; other characters take 600,
bold ones a tenth more. Prints what is wrong, one line each.
"""
import math
import re
import sys
import xml.etree.ElementTree as tree

WIDTHS = {" ": 278, "!": 278, '"': 355, "'": 191, "(": 333, ")": 333, "+": 584, ",": 278, "-": 333, ".": 278, "/": 278,
          ":": 278, ";": 278, "<": 584, "=": 584, ">": 584, "@": 1015, "%": 889, "A": 667, "B": 667, "C": 722, "D": 722,
          "F": 611, "G": 778, "I": 278, "M": 833, "N": 722, "P": 667, "R": 722, "S": 667, "T": 611, "U": 722, "W": 944,
          "a": 556, "c": 500, "f": 278, "i": 222, "j": 222, "k": 500, "l": 222, "m": 833, "r": 333, "s": 500, "t": 278,
          "v": 500, "w": 722, "x": 500, "y": 500, "z": 500}
SVG = "{http://www.w3.org/2000/svg}"
ROOM = 1.0  # by so much a text may stand over the edge, for rounding
problems = []


def multiply(a, b):
    return (a[0] * b[0] + a[2] * b[1], a[1] * b[0] + a[3] * b[1], a[0] * b[2] + a[2] * b[3], a[1] * b[2] + a[3] * b[3],
            a[0] * b[4] + a[2] * b[5] + a[4], a[1] * b[4] + a[3] * b[5] + a[5])


def matrix_of(text):
    """Of translate, scale, matrix and rotate."""
    matrix = (1, 0, 0, 1, 0, 0)
    for name, arguments in re.findall(r"(\w+)\(([^)]*)\)", text or ""):
        v = [float(number) for number in re.split(r"[ ,]+", arguments.strip())]
        if name == "translate":
            step = (1, 0, 0, 1, v[0], v[1] if len(v) > 1 else 0)
        elif name == "scale":
            step = (v[0], 0, 0, v[-1], 0, 0)
        elif name == "matrix":
            step = tuple(v)
        elif name == "rotate":
            cosine, sine = math.cos(math.radians(v[0])), math.sin(math.radians(v[0]))
            step = (cosine, sine, -sine, cosine, 0, 0)
            if len(v) == 3:
                step = multiply(multiply((1, 0, 0, 1, v[1], v[2]), step), (1, 0, 0, 1, -v[1], -v[2]))
        matrix = multiply(matrix, step)
    return matrix


def length(text, size, bold):
    return sum(WIDTHS.get(c, 600 if not c.isdigit() else 556) for c in text) / 1000 * size * (1.1 if bold else 1)


def box_of(element, style, matrix):
    text = "".join(element.itertext()).strip()
    size = float(re.sub("[a-z]*$", "", style["font-size"]))
    wide = length(text, size, style["font-weight"] == "bold")
    x, y = float(element.get("x", 0)), float(element.get("y", 0))
    left = x - {"middle": wide / 2, "end": wide}.get(style["text-anchor"], 0)
    corners = [(left, y - 0.75 * size), (left + wide, y + 0.22 * size)]
    points = [(matrix[0] * px + matrix[2] * py + matrix[4], matrix[1] * px + matrix[3] * py + matrix[5])
              for px in (corners[0][0], corners[1][0]) for py in (corners[0][1], corners[1][1])]
    return text, min(p[0] for p in points), min(p[1] for p in points), max(p[0] for p in points), max(p[1] for p in points)


def walk(element, style, matrix, found):
    own = dict(part.split(":", 1) for part in (element.get("style") or "").replace(" ", "").split(";") if ":" in part)
    style = {name: own.get(name, element.get(name, value)) for name, value in style.items()}
    matrix = multiply(matrix, matrix_of(element.get("transform")))
    if element.tag.endswith("}text") and "".join(element.itertext()).strip():
        found.append(box_of(element, style, matrix))
        if any(part.get("dy") or part.get("baseline-shift") for part in element.iter()):
            problems.append(f'"{found[-1][0]}" has a subscript')
        return
    for child in element:
        walk(child, style, matrix, found)


def node_of(group):
    """LABEL X Y, or nothing."""
    text, circle = group.find(SVG + "text"), group.find(SVG + "ellipse")
    shape = group.find(SVG + "polygon") if group.find(SVG + "polygon") is not None else group.find(SVG + "path")
    if group.get("class") != "node" or len(group.findall(SVG + "text")) != 1 or (circle is None and shape is None):
        return ""
    at = (circle.get("cx"), circle.get("cy")) if circle is not None else (text.get("x"), text.get("y"))
    return f'{"".join(text.itertext()).replace(" ", "_")} {round(float(at[0]))} {round(float(at[1]))}\n'


def tell(root):
    with open("nodes", "w", encoding="utf-8") as file:
        file.writelines(map(node_of, root.iter(SVG + "g")))
    with open("marks", "w", encoding="utf-8") as file:
        file.write(f'{sum(len(group) for group in root.iter(SVG + "g") if group.get("class") == "marks")}\n')
    with open("texts", "w", encoding="utf-8") as file:
        for text in root.iter(SVG + "text"):
            file.write(" ".join("".join(text.itertext()).strip().replace("\xa0", " ").splitlines()) + "\n")


def check(path):
    root = tree.parse(path).getroot()
    tell(root)
    left, top, width, height = (float(v) for v in root.get("viewBox").split())
    found = []
    walk(root, {"font-size": "12", "font-weight": "normal", "text-anchor": "start"}, (1, 0, 0, 1, 0, 0), found)
    if not found:
        problems.append(f"{path}: no text")
    for text, x0, y0, x1, y1 in found:
        if x0 < left - ROOM or y0 < top - ROOM or x1 > left + width + ROOM or y1 > top + height + ROOM:
            problems.append(f'{path}: "{text}" from {x0:.0f},{y0:.0f} to {x1:.0f},{y1:.0f} leaves the canvas of '
                            f"{width:.0f} x {height:.0f}")


check(sys.argv[1])
print("\n".join(problems), end="\n" if problems else "")
sys.exit(1 if problems else 0)
