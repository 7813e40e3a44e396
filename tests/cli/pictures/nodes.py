#!/usr/bin/env python3
"""Where the nodes of a picture by Graphviz are: lines "LABEL X Y", in whole points, of all with one text in a shape.

    usage: nodes.py PICTURE.svg
"""
import sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
for group in tree.parse(sys.argv[1]).getroot().iter(SVG + "g"):
    text, circle = group.find(SVG + "text"), group.find(SVG + "ellipse")
    shape = group.find(SVG + "polygon") if group.find(SVG + "polygon") is not None else group.find(SVG + "path")
    if group.get("class") != "node" or len(group.findall(SVG + "text")) != 1 or (circle is None and shape is None):
        continue
    if circle is not None:
        x, y = float(circle.get("cx")), float(circle.get("cy"))
    else:
        x, y = float(text.get("x")), float(text.get("y"))
    print("".join(text.itertext()).replace(" ", "_"), round(x), round(y))
