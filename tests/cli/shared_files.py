"""Runs the cases of ../shared/cases/files/index.jsonl: python3 shared_files.py FOLDER, with orrery on the PATH.

FOLDER is a copy of the cases' folder. An entry's exit status and what its `expected` says in words are checked. Entries of
which the answer is not there yet are listed below with the reason; they are named and counted, and an entry that is in no
list fails."""
import json
import os
import re
import subprocess
import sys

# What `expected` says, as patterns that the output (standard output, then standard error) must have.
EXPECTED = {
    "op_type": [r"^job time 20\.000 ms on 1 NPU$"],
    "tensor_size_float": [r"^job time 10\.000 ms on 1 NPU$", r"peak memory usage: 256\.00 MiB "],
    "alltoallv": [r"^job time (169\.[1-9]|170|171|172\.[0-4]).* us on 2 NPUs$", r"^all_to_all .* 125\.8[23][0-9]? us "],
    "group_zero": [r"^job time 22\.000 us on 4 NPUs$"],
    "old_error_all_reduce": [r"error is 1e\+00", r"Out of bounds values : 4 FAILED", r"the collective gave wrong data"],
    "interleaved_all_reduce": [r"runs of one device each", r"without MPI"],
    "nohash_all_reduce": [r"^all_reduce on 8 NPUs of 1 node$", r"\(7 rows\)"],
    "kineto_as_et": [r"k\.json: this is a profile .*Kineto", r"--kineto FILE"],
    "et_gz": [r"et\.json\.gz: this is an execution trace of PyTorch", r"orrery convert pytorch"],
    "astra1_network": [r"this is a network of ASTRA-sim 1\.0"],
    "fp32": [r"^all_reduce .* 48\.05 MiB |gradients .*2 bytes"],
    "zero_hint": [r"\A(?!(.|\n)*zero=)(.|\n)*recompute=full"],
}

NOT_YET = {}


def problems(case):
    done = subprocess.run(case["command"], shell=True, capture_output=True, text=True, timeout=300)
    said = done.stdout + done.stderr
    found = [] if done.returncode == case["exit"] else [f"exit status {done.returncode}, expected {case['exit']}"]
    for pattern in EXPECTED[case["name"]]:
        if not re.search(pattern, said, re.MULTILINE):
            found.append(f"no {pattern}")
    return found, said


def main():
    os.chdir(sys.argv[1])
    passed, later, failed = [], [], 0
    with open("index.jsonl") as index:
        cases = [json.loads(line) for line in index if line.strip()]
    for case in cases:
        name = case["name"]
        if name not in EXPECTED:
            print(f"FAILED: {name}: not known to this test; expected: {case['expected']}")
            failed += 1
            continue
        found, said = problems(case)
        if not found:
            passed.append(name)
        elif name in NOT_YET:
            later.append(name)
            print(f"not yet: {name}: {NOT_YET[name]} ({'; '.join(found)})")
        else:
            failed += 1
            print(f"FAILED: {name}: {'; '.join(found)}; expected: {case['expected']}\n{said}")
    for name in set(EXPECTED) - {case["name"] for case in cases}:
        print(f"FAILED: {name}: not in index.jsonl any more")
        failed += 1
    print(f"{len(cases)} cases: {len(passed)} as expected, {len(later)} not yet ({', '.join(later) or 'none'}), {failed} failed")
    return 1 if failed else 0


sys.exit(main())
