"""Runs `orrery import` on the launch files of an oracle and compares what it says.

usage: check_launch_files.py ORRERY FILE...

A case begins with "== NAME"; "@ FILE" begins a file of it; "% WORD ..." what is expected of all of them:
  kind K             of the first file
  values             lines "PATH VALUE": all values, in any order
  not understood     lines "FILE KEY...": all such keys; without it there are none
  contradictions     lines "KEY=VALUE KEY=VALUE": all of them
  parameters N       of the model
  warning TEXT       a part of a warning
  error TEXT         a part of the error, with exit status 2
Lines that begin with # between cases, and behind the first % of one, are comments. Each key of a file (flags, keys
of JSON and TOML, by readers of their own) must be understood or listed.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib


def cases(path):
    case = None
    for line in open(path, encoding="utf-8").read().split("\n"):
        if line.startswith("== "):
            if case:
                yield case
            case = {"name": line[3:], "files": [], "expected": [], "part": None}
        elif case is None:
            continue
        elif line.startswith("@ ") and not case["expected"]:
            case["files"].append([line[2:], []])
        elif line.startswith("% "):
            case["expected"].append([line[2:], []])
        elif case["expected"]:
            if line and not line.startswith("#"):
                case["expected"][-1][1].append(line)
        elif case["files"]:
            case["files"][-1][1].append(line)
    if case:
        yield case


def leaves(table):
    for key, value in table.items():
        if isinstance(value, dict):
            yield from leaves(value)
        else:
            yield key


def keys_of(name, text):
    """The keys of a file, by their last part."""
    if name.endswith(".json"):
        return set(json.loads(text))
    if name.endswith(".toml"):
        return set(leaves(tomllib.loads(text)))
    if name.endswith(".sh"):
        text = re.sub(r"^#.*$", "", text, flags=re.M)
        flags = re.findall(r"(?<![\w-])--([a-zA-Z][\w.-]*)", text)
        return {flag.split(".")[-1].replace("-", "_") for flag in flags}
    return set()


class Case:
    def __init__(self, case):
        self.name, self.files, self.problems = case["name"], case["files"], []
        self.expected = {}
        self.warnings = []
        for head, lines in case["expected"]:
            for word in ("kind", "values", "not understood", "contradictions", "parameters", "error", "warning"):
                if head == word or head.startswith(word + " "):
                    rest = head[len(word) + 1:]
                    if word == "warning":
                        self.warnings.append(rest)
                    else:
                        self.expected[word] = lines if word in ("values", "not understood", "contradictions") else rest
                    break
            else:
                self.problem(f"unknown: % {head}")

    def problem(self, text):
        self.problems.append(text)

    def same(self, what, found, expected):
        if found != expected:
            self.problem(f"{what}: expected {expected}, got {found}")

    def check_keys(self, said):
        for (name, lines), file in zip(self.files, said["files"]):
            listed = {part.lstrip("-").replace("-", "_")
                      for key in file["understood"] + file["not_understood"] for part in key.split(".")}
            missing = {key for key in keys_of(name, "\n".join(lines)) if key.replace("-", "_") not in listed}
            if missing:
                self.problem(f"{name}: neither understood nor listed: {sorted(missing)}")

    def check(self, said, err):
        values = {one["path"]: str(one["value"]) for one in said["values"]}
        expected = dict(line.split(" ", 1) for line in self.expected.get("values", []))
        for path in sorted(set(values) | set(expected)):
            self.same(path, values.get(path), expected.get(path))
        if "kind" in self.expected:
            self.same("kind", said["kind"], self.expected["kind"])
        unknown = {file["file"]: sorted(file["not_understood"]) for file in said["files"] if file["not_understood"]}
        listed = {line.split(" ")[0]: sorted(line.split(" ")[1:]) for line in self.expected.get("not understood", [])}
        self.same("not understood", unknown, listed)
        found = [f"{one['a']['key']}={one['a']['value']} {one['b']['key']}={one['b']['value']}"
                 for one in said["contradictions"]]
        self.same("contradictions", found, self.expected.get("contradictions", []))
        if "parameters" in self.expected:
            self.same("parameters", str(said.get("model", {}).get("parameters")), self.expected["parameters"])
        self.check_keys(said)
        for warning in self.warnings:
            if warning not in err:
                self.problem(f"no warning {warning!r} in {err!r}")

    def run(self, orrery):
        with tempfile.TemporaryDirectory() as folder:
            for name, lines in self.files:
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write("\n".join(lines))
            names = [name for name, _ in self.files]
            done = subprocess.run([orrery, "import", *names, "--json", "-"], cwd=folder, text=True,
                                  capture_output=True, check=False)
        if "error" in self.expected:
            self.same("exit status", done.returncode, 2)
            if self.expected["error"] not in done.stderr:
                self.problem(f"error: expected {self.expected['error']!r}, got {done.stderr!r}")
        elif done.returncode != 0:
            self.problem(f"exit status {done.returncode}: {done.stderr}")
        else:
            self.check(json.loads(done.stdout), done.stderr)
        return self.problems


def main(orrery, *paths):
    count = files = failures = 0
    for path in paths:
        for one in cases(path):
            case = Case(one)
            count += 1
            files += len(case.files)
            problems = case.run(orrery)
            failures += 1 if problems else 0
            for problem in problems:
                print(f"{os.path.basename(path)}: {case.name}: {problem}")
    print(f"{count} cases, {files} files, {failures} wrong")
    return 1 if failures or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
