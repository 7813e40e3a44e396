#!/bin/sh
# orrery sweep: every bad file is refused with its own message before any point runs.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

cat >small.yml <<'END'
network:
  topology: Ring(2)_Ring(4)
  dims: [{bandwidth: 1 GB/s}, {bandwidth: 0.5 GB/s}]
workload: {generate: all_reduce, bytes: 8000 B}
END

# refuses MESSAGE [OPTION...] <<END: this file is refused with exactly this message, exit status 2
refuses() {
    printf '%s\n' "$1" >want
    shift
    cat >e.yml
    "$ORRERY_BIN" sweep e.yml "$@" >out 2>err </dev/null
    status=$?
    [ "$status" -eq 2 ] || fail "$(cat want): exit status $status"
    cmp -s want err || fail "$(diff want err)"
    [ ! -e e.jsonl ] && [ ! -e e.csv ] && [ ! -e e.state ] || fail "$(cat want): files were made"
    rm -f e.*
}

# axis MESSAGE LINE: the only axis is this
axis() {
    printf 'sweep:\n  platform: small.yml\n  axes:\n    %s\n' "$2" >axis.yml
    refuses "$1" <axis.yml
}

# where MESSAGE EXPRESSION: of the constraint `where`, with the place shown
where() {
    printf "sweep:\n  platform: small.yml\n  axes: {system.chunks: [1, 2, 3]}\n  where: '%s'\n" \
        "$2" >where.yml
    refuses "e.yml:4:10: sweep.where: $1" <where.yml
}

# ---- axes ----

axis 'e.yml:4:5: sweep.axes: "network.dims[0].bandwith" names no key of platforms or workloads; did you mean "network.dims[].bandwidth"?' \
    'network.dims[0].bandwith: [1 GB/s]'
axis 'e.yml:4:5: sweep.axes: "bandwidth" names no key of platforms or workloads; did you mean "network.bandwidth"?' \
    'bandwidth: [1 GB/s]'
axis 'e.yml:4:5: sweep.axes: "colour" names no key of platforms or workloads (see orrery schema keys)' \
    'colour: [red]'
axis 'e.yml:4:5: sweep.axes: "network.dims.bandwidth" names no key of platforms or workloads; did you mean "network.dims[].bandwidth"?' \
    'network.dims.bandwidth: [1 GB/s]'
axis 'e.yml:4:5: sweep.axes.system.chunks: an axis without values leaves no points' \
    'system.chunks: []'
axis 'e.yml:4:20: sweep.axes.system.chunks: expected a list of values or a range such as {from: 1 MiB, to: 1 GiB, times: 4}, got "5"' \
    'system.chunks: 5'
axis 'e.yml:5:8: sweep.axes.system.chunks[0]: expected a value, got nothing' 'system.chunks:
      - '
axis 'e.yml:4:27: sweep.axes.platform[1]: "nope": there is no file nope, and none of the platforms that ship has this name (see orrery run --list-inputs)' \
    'platform: [small.yml, nope]'
axis 'e.yml: sweep.axes: the product of the axes has 16000000 points, more than 4000000; zip axes, or leave values out' \
    '{system.chunks: {from: 1, to: 4000, step: 1}, workload.root: {from: 0, to: 3999, step: 1}}'
axis 'e.yml:4:5: none of the points can be loaded; point 0 (bandwidth=1 GB/s): network.dims[7].bandwidth: there is no entry 7: network.dims has 2, from 0 on' \
    'network.dims[7].bandwidth: [1 GB/s, 2 GB/s]'
# Fixed values that are expressions: of another unit, and in a circle.
refuses 'e.yml:4:9: none of the points can be loaded; point 0 (chunks=1): network.dims[0].bandwidth: expected a positive bandwidth such as "50 GB/s", got "8000 B"; "B" is none of the units B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, b/s, kb/s, Mb/s, Gb/s or Tb/s; did you mean B/s?' <<'END'
sweep:
  platform: small.yml
  axes: {system.chunks: [1, 2]}
  set: {"network.dims[0].bandwidth": workload.bytes}
END
refuses 'e.yml:4:9: none of the points can be loaded; point 0 (chunks=1): network.dims[0].latency: expected a value that does not depend on itself, got network.dims[0].latency, which network.dims[1].latency needs, which network.dims[0].latency needs' <<'END'
sweep:
  platform: small.yml
  axes: {system.chunks: [1, 2]}
  set: {"network.dims[0].latency": "network.dims[1].latency", "network.dims[1].latency": "network.dims[0].latency"}
END

# ---- ranges ----

axis 'e.yml:4:20: sweep.axes.system.chunks: "to" is never reached: "step" leads away from it' \
    'system.chunks: {from: 1, to: 10, step: -1}'
axis 'e.yml:4:20: sweep.axes.system.chunks: "to" is never reached: "times" leads away from it' \
    'system.chunks: {from: 16, to: 1, times: 2}'
axis 'e.yml:4:20: sweep.axes.system.chunks: "step" must not be 0, or "to" is never reached' \
    'system.chunks: {from: 1, to: 10, step: 0}'
axis 'e.yml:4:20: sweep.axes.system.chunks: "times" must be above 0 and not 1, or "to" is never reached' \
    'system.chunks: {from: 1, to: 10, times: 1}'
axis 'e.yml:4:20: sweep.axes.system.chunks: with "times", "from" and "to" must be above 0' \
    'system.chunks: {from: 0, to: 10, times: 2}'
axis 'e.yml:4:20: sweep.axes.system.chunks: a range needs either the key "step" or "times"' \
    'system.chunks: {from: 1, to: 10}'
axis 'e.yml:4:20: sweep.axes.system.chunks: a range needs the key "to" (the last value, if a step hits it), such as to: 1 GiB' \
    'system.chunks: {from: 1, step: 10}'
axis 'e.yml:4:27: sweep.axes.system.chunks.from: expected a number or a quantity such as "1 MiB", got "some"' \
    'system.chunks: {from: some, to: 10, step: 1}'
axis 'e.yml:4:39: sweep.axes.workload.bytes.to: "10 ns" does not go with "1 KiB": expected the same kind of unit' \
    'workload.bytes: {from: 1 KiB, to: 10 ns, times: 2}'
axis 'e.yml:4:46: sweep.axes.workload.bytes.stp: unknown key in a range; did you mean "step"?' \
    'workload.bytes: {from: 1 KiB, to: 1 MiB, stp: 8}'
axis 'e.yml:4:20: sweep.axes.system.chunks: these are more than a million values' \
    'system.chunks: {from: 1, to: 100000000, step: 1}'

axis 'e.yml:4:21: sweep.axes.workload.bytes: "to" is never reached: "step" leads away from it' \
    'workload.bytes: {from: 1 KiB, to: 2 KiB, step: -1 B}'

# ---- the other keys ----

refuses 'e.yml:1:8: sweep: the sweep section needs the key "axes" (what varies: paths with lists of values or ranges; the last axis runs fastest), such as axes: {system.chunks: [16, 64]}' <<'END'
sweep: {platform: small.yml}
END
refuses 'e.yml:1:1: a sweep needs the key "sweep" (a base run and what varies), such as sweep: {axes: {system.chunks: [16, 64]}}' <<'END'
{}
END
refuses 'e.yml:1:15: sweep.axes: expected at least one axis, such as system.chunks: [16, 64]' <<'END'
sweep: {axes: {}}
END
refuses 'e.yml:2:3: sweep.cst: unknown key in the sweep section; did you mean "cost"?' <<'END'
sweep:
  cst: 3
END
refuses 'e.yml:2:13: sweep.platform: "nope.yml": there is no file nope.yml, and none of the platforms that ship has this name (see orrery run --list-inputs)' <<'END'
sweep:
  platform: nope.yml
  axes: {system.chunks: [1]}
END
refuses 'e.yml:2:9: sweep.set: "system.chnks" names no key of platforms or workloads; did you mean "system.chunks"?' <<'END'
sweep:
  set: {system.chnks: 3}
  axes: {system.chunks: [1]}
END
refuses 'e.yml:2:9: sweep.set: system.chunks is an axis too; remove one' <<'END'
sweep:
  set: {system.chunks: 3}
  axes: {system.chunks: [1]}
END
for zip in '4:25 [0][1]: axes that are zipped need equally many values: system.chunks has 2, workload.bytes has 1|[[system.chunks, workload.bytes]]' \
    '4:10 [0][0]: "bytes" is not one of the axes|[[bytes]]' \
    '4:27 [1][0]: "system.chunks" is zipped already|[[system.chunks], [system.chunks]]' \
    '4:9 [0]: expected a list of lists of axes, such as [[system.chunks, workload.bytes]], got "system.chunks"|[system.chunks]'; do
    message=${zip%|*}
    refuses "e.yml:${message%% *}: sweep.zip${message#* }" <<END
sweep:
  platform: small.yml
  axes: {system.chunks: [1, 2], workload.bytes: [1 kB]}
  zip: ${zip#*|}
END
done

# ---- groups ----

# group MESSAGE NAME: of the key group_by
group() {
    printf 'sweep:\n  platform: small.yml\n  set: {system.scheduler: themis}\n  axes:\n    network.dims[0].bandwidth: [1 GB/s]\n    network.dims[1].bandwidth: [1 GB/s]\n    workload.bytes: [1 kB]\n  group_by: %s\n' "$2" >group.yml
    refuses "e.yml:8:13: sweep.group_by: $1" <group.yml
}
group '"byte" is none of the axes; did you mean "bytes"?' byte
group '"platform" is none of the axes; the axes are network.dims[0].bandwidth, network.dims[1].bandwidth, workload.bytes' platform
group '"bandwidth" is ambiguous: network.dims[0].bandwidth or network.dims[1].bandwidth' bandwidth
group 'system.scheduler is the same for all points; the axes are network.dims[0].bandwidth, network.dims[1].bandwidth, workload.bytes' scheduler

# ---- expressions ----

where 'unknown name "chunk"; did you mean "chunks"?
  chunk < 3
  ^' 'chunk < 3'
where 'unknown name "x"; expected an axis, a key such as network.dims[0].bandwidth, npus, time_s, cost or another result of a point
  1 + x
      ^' '1 + x'
where 'expected a value, got the end
  chunks <
          ^' 'chunks <'
where 'division by zero
  chunks / 0 > 1
         ^' 'chunks / 0 > 1'
where 'gpu_dollars needs sweep.prices, such as prices: {gpu_hour: 2.95 $/h}
  1 < gpu_dollars
      ^' '1 < gpu_dollars'
where 'expected a number, got the text "auto"
  system.scheduler < 3
  ^' 'system.scheduler < 3'
printf "sweep:\n  platform: small.yml\n  axes: {system.chunks: [1, 2, 3]}\n  where: 'npus > 8'\n" >where.yml
refuses 'e.yml: sweep.where: the constraints leave none of the 3 points of the product' <where.yml
refuses 'e.yml:5:9: sweep.cost: "bandwidth" is ambiguous: network.dims[0].bandwidth or network.dims[1].bandwidth
  bandwidth * 3
  ^' <<'END'
sweep:
  axes:
    network.dims[0].bandwidth: [1 GB/s]
    network.dims[1].bandwidth: [1 GB/s]
  cost: bandwidth * 3
END

# ---- options ----

cat >good.yml <<'END'
sweep: {platform: small.yml, axes: {system.chunks: [1, 2]}}
END
refuses "orrery sweep: --best: expected time, cost or time*cost, got \"speed\"" --best speed <good.yml
refuses 'orrery sweep: --top: expected a whole number from 1 to 4000000, got "0"' --top 0 <good.yml
refuses 'orrery sweep: --jobs: expected a whole number from 1 to 256, got "x"' --jobs x <good.yml
refuses 'orrery sweep: --progress: expected auto, always or never, got "no"' --progress no <good.yml
refuses "orrery sweep: unexpected argument other.yml
try 'orrery sweep --help'" other.yml <good.yml
refuses "orrery sweep: unknown option \"--restrt\"; did you mean \"--restart\"?
try 'orrery sweep --help'" --restrt <good.yml
refuses 'orrery sweep: --group-by: "system.chunk" is none of the axes; did you mean "system.chunks"?' --group-by system.chunk <good.yml
refuses 'orrery sweep: --group-by: "colour" is none of the axes; the axes are system.chunks' --group-by colour <good.yml
refuses 'orrery sweep: --columns: "mfuu" is no axis and no result of a point; did you mean "MFU"?' --columns time,mfuu <good.yml
refuses 'orrery sweep: --columns: expected names with commas between them, such as "point,time,MFU,memory", got "time,,cost"' --columns time,,cost <good.yml
refuses 'orrery sweep: --columns: "zz" is no axis and no result of a point; expected an axis, time, cost, time*cost, MFU, memory, communication, waiting, or another result that docs/results.md lists for sweeps' --columns zz <good.yml
refuses 'orrery sweep: --plot: expected a file that ends in .svg, got "a.png"' --plot a.png <good.yml
refuses "orrery sweep: only with --plot: --x
try 'orrery sweep --help'" --x time <good.yml
refuses "orrery sweep: only with --plot: --y
try 'orrery sweep --help'" --y time <good.yml
refuses 'orrery sweep: --x: "chunk" is no axis and no result of a point; did you mean "chunks"?' --plot a.svg --x chunk <good.yml
refuses 'orrery sweep: --x and --y are both time; name something else for one of them' --plot a.svg --x wall_ps <good.yml
refuses 'orrery sweep: e.yml: is an input; results would overwrite it' --json e.yml <good.yml
refuses 'orrery sweep: --json: e.jsonl has the results of the points already; name another file, such as e.json' --json e.jsonl <good.yml
cat >texts.yml <<END
sweep: {platform: small.yml, axes: {workload.traces: [$(seq -s, -f t%g 65)]}}
END
refuses 'orrery sweep: --x: workload.traces has 65 texts, at most 64 fit; expected an axis of numbers or a result' --plot a.svg --x traces <texts.yml
"$ORRERY_BIN" sweep >out 2>err
[ $? -eq 2 ] && grep -qx "orrery sweep: a sweep's file is missing" err || fail "$(cat err)"

[ "$failures" -eq 0 ] && echo "sweep: bad input is refused"
exit $((failures > 0))
