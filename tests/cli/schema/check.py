"""Validates files against the JSON Schemas.

  check.py platform.schema.json workload.schema.json INPUTS CASES

INPUTS/platforms and INPUTS/workloads must hold files that fit, and CASES is the folder that
`test_config_keys CASES` writes: whole files that the reader accepts or refuses, and the schema must
agree."""
import glob
import json
import sys

import jsonschema
import yaml

# libyaml reads ten times as fast as Python does, where it was built in.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load(path):
    with open(path, encoding="utf-8") as file:
        return yaml.load(file, LOADER)


def validator(path):
    with open(path, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def check_inputs(kind, schema, folder):
    failures = 0
    modeline = f"# yaml-language-server: $schema=../schema/{kind}.schema.json"
    paths = sorted(glob.glob(f"{folder}/{kind}s/*.yml"))
    for path in paths:
        with open(path, encoding="utf-8") as file:
            if file.readline().rstrip("\n") != modeline:
                print(f"{path}: the first line should be: {modeline}")
                failures += 1
        for error in schema.iter_errors(load(path)):
            print(f"{path}: {error.json_path}: {error.message}")
            failures += 1
    return len(paths), failures


def check_cases(schema, folder):
    """The whole files of the cases must fit the schema of platforms, unless they are refused."""
    count = failures = 0
    with open(f"{folder}/cases", encoding="utf-8") as cases:
        for line in cases:
            number, result, about = line.rstrip("\n").split(" ", 2)
            if about.startswith("too large: "):
                continue  # the size of a quantity, which a pattern cannot tell
            errors = list(schema.iter_errors(load(f"{folder}/{number}.yml")))
            count += 1
            if (result == "accepted") != (not errors):
                found = errors[0].message if errors else "accepted"
                print(f"{about}: the reader: {result}; the schema: {found}")
                failures += 1
    return count, failures


# What a file needs besides: (kind, fits, text).
NEEDS = [
    ("platform", False, "name: x\n"),
    ("platform", False, "network: {}\n"),
    ("platform", False, "network: {dims: []}\n"),
    ("platform", False, "network: {dims: [{npus: 4, bandwidth: 1 GB/s}]}\n"),
    ("platform", False, "network: {dims: [{block: ring, bandwidth: 1 GB/s}]}\n"),
    ("platform", False, "network: {dims: [{block: ring, npus: 4}]}\n"),
    ("platform", True, "network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}]}\n"),
    ("platform", True, "network: {topology: Ring(4), dims: [{bandwidth: 1 GB/s}]}\n"),
    ("platform", True, "network: {topology: R(4)_R(2), bandwidth: 1_2.5 GB/s, latency: 1 ns}\n"),
    ("platform", True, "network: {topology: R(4)_R(2), bandwidth: [1 GB/s, 2 GB/s]}\n"),
    ("platform", False, "network: {topology: R(4)_R(2), bandwidth: 1__2 GB/s}\n"),
    ("platform", False, "network: {topology: R(4)_R(2), bandwidth: 1_0 GB/s}\n"),
    ("platform", False, "network: {bandwidth: 1 GB/s}\n"),
    ("platform", False, "network: {topology: R(4)}\n"),
    ("platform", False,
     "network: {topology: R(4), bandwidth: 1 GB/s, dims: [{bandwidth: 1 GB/s}]}\n"),
    ("platform", False, "network: {topology: Ring(4), dims: [{npus: 4, bandwidth: 1 GB/s}]}\n"),
    ("platform", False, "network: {topology: R(4), dims: [{block: ring, bandwidth: 1 GB/s}]}\n"),
    ("platform", False, "network: {topology: R(4), dims: [{bandwidth: 1 GB/s}]}\ncompute: {}\n"),
    ("platform", True,
     "network: {topology: R(4), dims: [{bandwidth: 1 GB/s}]}\ncompute: {mode: replay}\n"),
    ("platform", True,
     "network: {topology: R(4), dims: [{bandwidth: 1 GB/s}]}\ncompute: {peak: 1 TFLOPS}\n"),
    ("platform", True,
     "network: {topology: R(4), dims: [{bandwidth: 1 GB/s}]}\nmemory: {remote: {}}\n"),
    ("platform", False,
     "network: {topology: R(4), dims: [{bandwidth: 1 GB/s}]}\nmemory: {remote: {type: pool}}\n"),
    ("platform", True, "include: base.yml\nnetwork: {backend: congestion}\n"),
    ("platform", True, "include: [base.yml, memory.yml]\n"),
    ("platform", False, "include: base.yml\nnetwork: {backend: congested}\n"),
    ("workload", False, "name: x\n"),
    ("workload", False, "workload: {}\n"),
    ("workload", False, "workload: {bytes: 1 MiB}\n"),
    ("workload", False, "workload: {generate: all_reduce}\n"),
    ("workload", True, "workload: {generate: barrier}\n"),
    ("workload", True, "workload: {generate: all_reduce, bytes: 1 MiB}\n"),
    ("workload", True, "workload: {traces: folder/prefix}\n"),
    ("workload", False, "workload: {traces: x, generate: barrier}\n"),
    ("workload", True, "workload: {generate: barrier}\nsystem: {priority: lifo}\n"),
    ("workload", True, "include: base.yml\nworkload: {bytes: 1 MiB}\n"),
    ("workload", True, "workload: {traces: x, groups: {tp: [0, 1], dp: [0, 2]}}\n"),
    ("workload", False, "workload: {traces: x, groups: {tp: []}}\n"),
    ("workload", False, "workload: {traces: x, groups: [[0, 1]]}\n"),
]


def check_needs(schemas):
    failures = 0
    for kind, fits, text in NEEDS:
        if schemas[kind].is_valid(yaml.load(text, LOADER)) != fits:
            print(f"{kind}: {'refused' if fits else 'accepted'}: {text}")
            failures += 1
    return len(NEEDS), failures


def main():
    platform, workload, inputs, cases = sys.argv[1:]
    schemas = {"platform": validator(platform), "workload": validator(workload)}
    results = [check_inputs(kind, schema, inputs) for kind, schema in schemas.items()]
    results += [check_cases(schemas["platform"], cases), check_needs(schemas)]
    count, failures = map(sum, zip(*results))
    print(f"{count} files, {failures} failures")
    return 1 if failures else 0


sys.exit(main())
