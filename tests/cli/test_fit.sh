#!/bin/sh
# orrery fit collectives: what nccl-tests print becomes a platform that runs, its reports, and what is
# refused. Times are those of 8 us + the library's model, with NVLink at 0.9 of what it usually gets.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# refuses TEXT ARGUMENT...: exit status 2, this on standard error, and no file out.yml
refuses() {
    expected=$1
    shift
    "$ORRERY_BIN" fit "$@" >out 2>err </dev/null
    status=$?
    [ "$status" -eq 2 ] || fail "$*: exit status $status, expected 2"
    grep -qxF -e "$expected" err || fail "$*: expected \"$expected\", got: $(cat err)"
    [ ! -e out.yml ] || fail "$*: out.yml was written"
}

cat >pod.yml <<'END'
name: a pod
network:
  topology: Switch(8)_Switch(4)
  bandwidth_is: npu
  dims: [{bandwidth: 300 GB/s, latency: 700 ns}, {bandwidth: 25 GB/s, latency: 2 us}]
system: {chunks: 16, library: {name: nccl, gpu: a100}}
memory: {local: {bandwidth: 1555 GB/s, capacity: 40 GB}}
compute: {peak: 312 TFLOP/s}
END

# What 8 GPUs of a node print: 14 steps of a ring.
awk 'BEGIN {
    print "# nThread 1 nGpus 8 minBytes 1024 maxBytes 1073741824 step: 2(factor)"
    print "# Using devices"
    for (i = 0; i < 8; i++)
        printf "#  Rank %2d Group  0 Pid %6d on node1 device %2d [0x%02x] NVIDIA A100-SXM4-40GB\n", i, 4000, i, i
    print "#                                                              out-of-place                       in-place"
    print "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong"
    print "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)"
    for (b = 1024; b <= 1073741824; b *= 2) {
        bus = 0.9 * 235e3
        least = 14 * 0.6 + 1.75 * b / (0.5 * bus)
        ll128 = 14 * 1.9 + 1.75 * b / (0.92 * bus)
        simple = 14 * 3.4 + 1.75 * b / bus
        if (ll128 < least) least = ll128
        if (simple < least) least = simple
        us = 8 + 6.6 + least
        printf "%12d %13d     float     sum      -1 %8.2f %7.2f %7.2f      0 %8.2f %7.2f %7.2f      0\n",
            b, b / 4, us, b / us / 1e3, b / us / 1e3 * 1.75, us, b / us / 1e3, b / us / 1e3 * 1.75
    }
}' >all_reduce_perf.txt

"$ORRERY_BIN" fit collectives all_reduce_perf.txt --platform pod.yml -o out.yml --collective all_reduce \
    --npus-per-node 8 --holdout every:2 --report report.json --report report.svg >out 2>err ||
    fail "a fit: $(cat err)"
[ ! -s err ] || fail "a fit has warnings: $(cat err)"
grep -q '^pod.yml: nccl on a100, fitted to 11 rows of 1 file; 10 held out (every:2)$' out ||
    fail "no head: $(head -1 out)"
grep -Eq '^inner_bandwidth +0\.9 +1 .* yes' out || fail "not 0.9: $(grep '^inner_bandwidth' out)"
grep -Eq '^launch +8(\.[0-9]+)? us +8 us ' out || fail "not 8 us: $(grep '^launch' out)"
grep -q '^all_to_all_latency .* needs: alltoall_perf$' out || fail "what an all-to-all needs: $(cat out)"
grep -q '^    inner_bandwidth: 0\.\(9\|89\|90\)[0-9]* .*, identified$' out.yml ||
    fail "not in the platform: $(cat out.yml)"
[ "$(sed -n 1p out.yml)" = '# Made by `orrery fit collectives` of pod.yml.' ] || fail "$(sed -n 1p out.yml)"
grep -q '^# Error of 10 held-out rows: median 0\.[0-9] %, p90 0\.[0-9] %, bias [+-]0\.[0-9] %$' out.yml ||
    fail "no errors in: $(cat out.yml)"
grep -q '^  chunks: 16$' out.yml && grep -q '^name: a pod$' out.yml && grep -q 'capacity: 40 GB' out.yml ||
    fail "the rest of the platform: $(cat out.yml)"

# The platform runs, with the times of the fit.
"$ORRERY_BIN" run out.yml --set 'workload={generate: all_reduce, bytes: 1 GiB}' --json run.json >/dev/null 2>err ||
    fail "the platform does not run: $(cat err)"
"$ORRERY_BIN" fit collectives all_reduce_perf.txt --platform out.yml -o again.yml --collective all_reduce \
    --npus-per-node 8 >out 2>err || fail "a fit of what was fitted: $(cat err)"
grep -Eq '^inner_bandwidth +0\.9 +0\.9 ' out || fail "it does not stay: $(grep '^inner_bandwidth' out)"

# Reports.
if command -v python3 >/dev/null; then
    python3 - <<'END' || fail "report.json is not right"
import json
report = json.load(open("report.json"))
assert len(report["rows"]) == 21 and report["fitted_rows"] == 11 and report["held_out_rows"] == 10
row = report["rows"][1]
assert row["held_out"] and row["collective"] == "all_reduce" and row["bytes"] == 2048, row
assert row["algorithm"] == "ring" and row["protocol"] == "LL" and row["file"] == "all_reduce_perf.txt", row
assert abs(row["model_us"] / row["measured_us"] - 1 - row["error"]) < 1e-12 and abs(row["error"]) < 0.005, row
assert report["held_out"][0]["count"] == 10 and report["held_out"][0]["worst"] < 0.005
bandwidth = report["parameters"][1]
assert bandwidth["name"] == "inner_bandwidth" and bandwidth["identified"], bandwidth
assert abs(bandwidth["value"] - 0.9) < 0.005 and bandwidth["prior"] == 1, bandwidth
assert report["parameters"][0]["unit"] == "us" and "would_identify" in report["parameters"][12]
assert report["nvls_tree"] is False and report["warnings"] == []
END
fi
[ "$(grep -o '<circle cx="[0-9.]*" cy="[0-9.]*" r="3"' report.svg | wc -l)" -eq 21 ] || fail "not 21 points"
for name in size time '16 KiB' '10 us' '1 ms'; do
    grep -q ">$name</text>" report.svg || fail "the axes tell no $name"
done
"$ORRERY_BIN" fit collectives all_reduce_perf.txt --platform pod.yml -o - --collective all_reduce \
    --npus-per-node 8 >out 2>err || fail "to standard output: $(cat err)"
[ "$(tail -1 out)" = 'compute: {peak: 312 TFLOP/s}' ] || fail "the platform only: $(tail -1 out)"

# What is refused.
cp out.yml kept.yml
rm -f out.yml
cat >rows.csv <<'END'
collective,npus,npus_per_node,bytes,time_us
all_reduce,8,8,1048576,60
all_reduce,16,16,1048576,60
END
sed 2q rows.csv >one.csv
sed 's/, library.*}}/}/' pod.yml >plain.yml
to="--platform pod.yml -o out.yml"
# shellcheck disable=SC2086 # words
{
    refuses "orrery fit: collectives or compute is missing"
    refuses 'orrery fit: expected collectives or compute, got "computing"; did you mean "compute"?' computing
    refuses "orrery fit: no files of measured times" collectives $to
    refuses "orrery fit: --platform is missing: which platform is fitted" collectives one.csv -o out.yml
    refuses "orrery fit: -o is missing: where the fitted platform goes" collectives one.csv --platform pod.yml
    refuses "rows.csv:3:1: 16 NPUs, 16 of each node: more of a node than the platform has; pod.yml has 4 nodes of 8 NPUs" \
        collectives rows.csv $to
    refuses "plain.yml:6:9: the platform has no library whose collectives could be fitted; expected system: {library: {name: nccl, gpu: a100}}, or --set 'system.library={name: nccl, gpu: a100}'" \
        collectives one.csv --platform plain.yml -o out.yml
    refuses 'holdout "every:1": expected a whole number of at least 2, got "1"' collectives one.csv $to --holdout every:1
    refuses 'orrery fit: --npus: expected a whole number from 1 to 2147483647, got "0"' collectives one.csv $to --npus 0
    refuses 'orrery fit: --report: expected a file that ends in .html, .json or .svg, or -, got "x.txt"' \
        collectives one.csv $to --report x.txt
    refuses "orrery fit: one of -o and --report goes to -, not more" collectives one.csv --platform pod.yml -o - --report -
    refuses "orrery fit: pod.yml: is an input; results would overwrite it" collectives one.csv --platform pod.yml -o pod.yml
    refuses "nowhere/out.yml: cannot be written: No such file or directory" collectives one.csv --platform pod.yml \
        -o nowhere/out.yml
}
"$ORRERY_BIN" fit collectives one.csv --platform plain.yml --set 'system.library={name: nccl, gpu: a100}' \
    -o kept.yml >out 2>err || fail "with --set: $(cat err)"
grep -q '^    gpu: a100$' kept.yml || fail "the file was not replaced: $(cat kept.yml)"
grep -q 'warning: all_reduce was fitted to 1 size only' err || fail "no warning of one size: $(cat err)"
refuses "one.csv:2:1: 8 NPUs, 8 of each node: more of a node than the platform has; perlmutter_512 has 128 nodes of 4 NPUs" \
    collectives one.csv --platform perlmutter_512 -o out.yml

[ "$failures" -eq 0 ] && echo "orrery fit: as expected"
exit $((failures > 0))
