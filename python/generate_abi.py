"""Makes orrery/abi/ of the C headers, include/orrery/*.h, so that nothing is written by hand twice.

    python3 python/generate_abi.py            writes the files, if the headers have changed
    python3 python/generate_abi.py --abi      prints the binary interface, a line for each function, struct and constant

In the tree the package calls it when it is imported (orrery/abi/__init__.py), so that it is never behind the headers; pip and
cmake --install do when they take it along. Needs no packages. The headers are plain: enums, structs, one typedef, functions with ORRERY_API. A declaration of another
form is an error that names the header.
"""
import hashlib
import os
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEADERS = HERE.parent / "include" / "orrery"
OUT = HERE / "orrery" / "abi"
BASE = {
    "bool": ("c_bool", 1), "char": ("c_char", 1), "int": ("c_int", 4), "unsigned": ("c_uint", 4),
    "uint16_t": ("c_uint16", 2), "uint32_t": ("c_uint32", 4), "int32_t": ("c_int32", 4), "uint64_t": ("c_uint64", 8), "int64_t": ("c_int64", 8),
    "size_t": ("c_size_t", 8), "double": ("c_double", 8), "sig_atomic_t": ("c_int", 4),
}
POINTER_BYTES = 8


class Api:
    """What the headers declare, in their order."""

    def __init__(self):
        self.constants = {}  # name: value
        self.enums = {}  # enum: [names]
        self.structs = {}  # name: [(field, type)]
        self.bodies = {}  # name: text, of structs that are still to be read
        self.layout = {}  # name: (size, alignment)
        self.functions = {}  # name: (result, [types])
        self.callbacks = {}  # (result, types): name
        self.prototypes = []  # (text, header) of functions
        self.header_of = {}
        self.owner = ""  # the struct or function that is read


def class_name(name):
    """LayoutSearch for orrery_layout_search."""
    return "".join(part.capitalize() for part in name.split("_")[1:])


def clean(text):
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", " ", text, flags=re.S)
    return text


def value_of(text, api):
    text = re.sub(r"(?<=\d)[uUlL]+", "", text.strip())
    text = re.sub(r"\bUINT(32)?_MAX\b", str(2**32 - 1), text)
    if not re.fullmatch(r"[\w\s<|+()-]+", text):
        raise ValueError(text)
    return eval(text, {"__builtins__": {}}, dict(api.constants))  # of our own headers: numbers and names


def read_defines(text, api):
    for name, value in re.findall(r"^#define (ORRERY_\w+) (.+)$", text, flags=re.M):
        if value.startswith('"'):
            api.constants[name] = value.strip('"')
        elif name != "ORRERY_API":
            api.constants[name] = value_of(value.strip("()"), api)


def read_enum(name, body, api):
    following, names = 0, []
    for item in filter(None, (part.strip() for part in body.split(","))):
        constant, _, given = item.partition("=")
        following = value_of(given, api) if given else following
        api.constants[constant.strip()] = following
        names.append(constant.strip())
        following += 1
    if name:
        api.enums[name] = names


def type_of(words, stars, api):
    """The expression for a C type, and its size and alignment."""
    name = " ".join(word for word in words.split() if word not in ("const", "volatile", "struct", "enum"))
    kind = "struct" if "struct" in words.split() else "enum" if "enum" in words.split() else ""
    if stars:
        size = (POINTER_BYTES, POINTER_BYTES)
        if kind == "struct":
            need_struct(name, api)
            inner = f"POINTER({class_name(name)})" if name in api.structs else "c_void_p"
        else:
            inner = {"char": "c_char_p", "void": "c_void_p", "FILE": "c_void_p"}.get(name)
            inner = inner or f"POINTER({BASE[name][0]})"
        for _ in range(stars - 1):
            inner = f"POINTER({inner})"
        return inner, size
    if kind == "struct":
        need_struct(name, api)
        return class_name(name), api.layout[name]
    if kind == "enum":
        return "c_int", (4, 4)
    if name == "orrery_wide":
        return "Wide", (16, 16)
    return ("None", (0, 1)) if name == "void" else (BASE[name][0], (BASE[name][1],) * 2)


def callback_name(member, result, types, api):
    """OnSweepProgress, of the struct or function that has it first, and its name; OnWarning, which many have."""
    name = "OnWarning" if member == "warn" else "On" + class_name(api.owner) + class_name(f"_{member}")
    return api.callbacks.setdefault((result, tuple(types)), name)


def read_callback(text, api):
    """(member, name of the type) of "void (*warn)(void *user, const char *text)"; None: it is none."""
    match = re.fullmatch(r"(.+?)\(\s*\*\s*(\w+)\s*\)\s*\((.*)\)", text.strip(), flags=re.S)
    if match is None:
        return None
    result, _ = type_of(match[1].replace("*", " "), match[1].count("*"), api)
    return match[2], callback_name(match[2], result, [t for _, t in read_parameters(match[3], api)], api)


def read_declarator(words, text, api):
    """(name, type, size, alignment) of "*after" or "kind[8]" behind the words of the type."""
    stars = text.count("*") + words.count("*")
    match = re.fullmatch(r"[*\s]*(?:const\s+)?[*\s]*(\w+)\s*(?:\[([^\]]*)\])?", text.strip())
    expression, (size, alignment) = type_of(words.replace("*", " "), stars, api)
    if match[2]:
        count = value_of(match[2], api)
        return match[1], f"{expression} * {count}", size * count, alignment
    return match[1], expression, size, alignment


def split_outside(text, mark):
    depth, part, parts = 0, "", []
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == mark and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += letter
    return [piece.strip() for piece in parts + [part] if piece.strip()]


def read_parameters(text, api):
    found = []
    for item in split_outside(text, ","):
        if item == "void":
            continue
        callback = read_callback(item, api)
        if callback is not None:
            found.append(callback)
            continue
        match = re.fullmatch(r"(.*?[\w*])\s*(\b\w+)", item, flags=re.S)
        words, stars = match[1].replace("*", " "), match[1].count("*")
        found.append((match[2], type_of(words, stars, api)[0]))
    return found


def read_members(item, api):
    """The members of one declaration of a struct: "uint64_t min_bytes, max_bytes"."""
    callback = read_callback(item, api)
    if callback is not None:
        return [(*callback, POINTER_BYTES, POINTER_BYTES)]
    first, *others = split_outside(item, ",")
    match = re.match(r"((?:const |volatile |struct |enum )*\w+(?:\s+const)?(?=[\s*]))(?:\s*\*\s*const\b)?", first)
    constant_pointers = match[0].count("*")
    words = match[1] + " *" * constant_pointers
    return [read_declarator(words, text, api) for text in [first[match.end():], *others]]


def need_struct(name, api):
    """Reads a struct of any header before the one that holds it or points to it; without a body it is opaque."""
    body = api.bodies.pop(name, None)
    if body is not None:
        owner = api.owner
        read_struct(name, body, api)
        api.owner = owner


def read_struct(name, body, api):
    fields, at, alignment = [], 0, 1
    api.owner = name
    for item in split_outside(body, ";"):
        for member, expression, size, align in read_members(item, api):
            gap = -at % align
            if gap and align == 16:  # ctypes has no numbers of 128 bits: their place is kept by hand
                fields.append((f"_gap{len(fields)}", f"c_char * {gap}"))
            at += gap + size
            alignment = max(alignment, align)
            fields.append((member, expression))
    gap = -at % alignment
    if gap and alignment == 16:
        fields.append((f"_gap{len(fields)}", f"c_char * {gap}"))
    api.structs[name] = fields
    api.layout[name] = (at + gap, alignment)


def read_function(text, api):
    match = re.fullmatch(r"(.+?[\s*])(\w+)\s*\((.*)\)", text.strip(), flags=re.S)
    api.owner = match[2]
    result, _ = type_of(match[1].replace("*", " "), match[1].count("*"), api)
    api.functions[match[2]] = (result, [t for _, t in read_parameters(match[3], api)])
    return match[2]


def read_header(path, api):
    """Enums and constants; structs and functions are kept for when all headers are read."""
    whole = clean(path.read_text())
    text = re.sub(r"^#.*?$", " ", re.sub(r"\\\n", " ", whole), flags=re.M)
    token = re.compile(r"enum\s*(\w*)\s*\{([^}]*)\}\s*;|struct\s+(\w+)\s*\{([^}]*)\}\s*;|ORRERY_API([^;]*);|struct\s+\w+\s*;"
                       r"|__extension__[^;]*;")
    rest = token.sub(" ", text)
    if rest.strip():
        raise SystemExit(f"{path}: not understood: {' '.join(rest.split())[:200]}")
    for match in token.finditer(text):
        if match[2] is not None:
            read_enum(match[1], match[2], api)
        elif match[3]:
            api.bodies[match[3]] = match[4]
        elif match[5]:
            api.prototypes.append((match[5], path.name))
    read_defines(whole, api)


def read_all():
    api = Api()
    for name in headers_in_order():
        read_header(HEADERS / name, api)
    while api.bodies:
        need_struct(next(iter(api.bodies)), api)
    for text, header in api.prototypes:
        api.header_of[read_function(text, api)] = header
    return api


def headers_in_order():
    """The headers, each behind those that it includes."""
    order = []

    def visit(name):
        if name in order:
            return
        for other in re.findall(r'#include "orrery/(\w+\.h)"', (HEADERS / name).read_text()):
            visit(other)
        order.append(name)

    for path in sorted(HEADERS.glob("*.h")):
        visit(path.name)
    return order


HEAD = '"""{} Made by python/generate_abi.py of include/orrery/*.h."""\n'


def write_constants(api):
    lines = [HEAD.format("Constants of the C library.")]
    for name, value in api.constants.items():
        lines.append(f"{name.removeprefix('ORRERY_')} = {value!r}")
    lines.append("\nENUMS = {")
    for name, names in api.enums.items():
        inner = ", ".join(repr(n.removeprefix("ORRERY_")) for n in names)
        lines.append(f"    {name.removeprefix('orrery_')!r}: ({inner},),")
    return "\n".join([*lines, "}", ""])


def write_types(api):
    lines = [HEAD.format("Structs and callbacks of the C library."),
             "from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_int64,",
             "                    c_size_t, c_uint, c_uint16, c_uint32, c_uint64, c_void_p)\n\n",
             "class Wide(Structure):\n    \"\"\"A number of 128 bits with a sign; int(wide) is its value.\"\"\"",
             "    _fields_ = [(\"low\", c_uint64), (\"high\", c_int64)]\n",
             "    def __int__(self) -> int:\n        return (self.high << 64) + self.low"]
    callbacks = {name: types for types, name in api.callbacks.items()}
    written = set()

    def write_callback(name):
        result, types = callbacks[name]
        written.add(name)
        for other in types:
            if other in callbacks and other not in written:
                write_callback(other)
        lines.append(f"\n\n{name} = CFUNCTYPE({', '.join([result, *types])})")

    for name, fields in api.structs.items():
        for callback in callbacks:
            if callback not in written and any(callback == expression for _, expression in fields):
                write_callback(callback)
        lines.append(f"\n\nclass {class_name(name)}(Structure):")
        lines.append("    _fields_ = [")
        lines += [f"        ({member!r}, {expression})," for member, expression in fields]
        lines.append("    ]")
    for callback in callbacks:
        if callback not in written:
            write_callback(callback)
    lines.append("\n\nSTRUCTS = {")
    lines += [f"    {name!r}: {class_name(name)}," for name in api.structs]
    return "\n".join([*lines, "}", ""])


def write_functions(api):
    lines = [HEAD.format("Functions of the C library: result, parameters."),
             "from ctypes import (POINTER, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint, c_uint32, c_uint64,",
             "                    c_void_p)\n", "from .types import *  # noqa: F403\n", "FUNCTIONS = {"]
    header = ""
    for name, (result, types) in api.functions.items():
        if header != api.header_of[name]:
            header = api.header_of[name]
            lines.append(f"    # {header}")
        lines.append(f"    {name!r}: ({result}, [{', '.join(types)}]),")
    return "\n".join([*lines, "}", ""])


def abi_lines(api):
    """What programs are compiled with, so that a change of a line is a change that breaks them."""
    for name, (result, types) in sorted(api.functions.items()):
        yield f"function {name}: {result} ({', '.join(types)})"
    for name, fields in sorted(api.structs.items()):
        yield f"struct {name}, {api.layout[name][0]} bytes: {', '.join(f'{member} {kind}' for member, kind in fields)}"
    for name, value in sorted(api.constants.items()):
        if name != "ORRERY_VERSION":
            yield f"constant {name}: {value}"


def main():
    api = read_all()
    if "--abi" in sys.argv[1:]:
        print("\n".join([f"version {api.constants['ORRERY_VERSION'].rpartition('.')[0]}", *abi_lines(api)]))
        return 0
    print(f"{len(api.functions)} functions, {len(api.structs)} structs, {len(api.constants)} constants, " +
          ("written" if refresh() else "as before"))
    return 0


def digest():
    """Of what the files are made of."""
    made = hashlib.sha256(Path(__file__).read_bytes())
    for path in sorted(HEADERS.glob("*.h")):
        made.update(path.read_bytes())
    return made.hexdigest()[:16]


def texts():
    """The files by name; constants.py last, as it says that all are there."""
    api = read_all()
    return {"types.py": write_types(api), "functions.py": write_functions(api),
            "constants.py": f"{write_constants(api)}\nDIGEST = {digest()!r}\n"}


def refresh():
    """Writes the files if they are not those of the headers; each is there whole or not at all. Returns whether it did."""
    made, last = digest(), OUT / "constants.py"
    if last.exists() and f"DIGEST = {made!r}" in last.read_text():
        return False
    for name, text in texts().items():
        whole = OUT / f".{name}.{os.getpid()}"
        whole.write_text(text)
        os.replace(whole, OUT / name)
    return True


if __name__ == "__main__":
    sys.exit(main())
