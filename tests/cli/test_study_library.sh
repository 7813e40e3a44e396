#!/bin/sh
# What a program writes through the library, by write_study.c, is what the commands write, to the
# byte: runs in all their forms, what-ifs, sweeps, comparisons and benches.
set -u

write=$ORRERY_BUILD_DIR/examples/write_study
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
compared=0

# same COMMAND...: what write_study printed is what the command prints
same() {
    "$ORRERY_BIN" "$@" >want 2>err || {
        echo "orrery $*: $(cat err)"
        failures=$((failures + 1))
    }
    compared=$((compared + 1))
    cmp -s want got || {
        echo "orrery $*: $(diff want got | head -5)"
        failures=$((failures + 1))
    }
}

# library ARGUMENTS...: into `got`
library() {
    "$write" "$@" >got 2>err || {
        echo "write_study $*: $(cat err)"
        failures=$((failures + 1))
    }
}

cat >small.yml <<'END'
network:
  topology: Ring(2)_Ring(4)
  dims:
    - {bandwidth: 1 GB/s, latency: 1 us}
    - {bandwidth: 0.5 GB/s, latency: 1 us}
system: {chunks: 2}
workload: {generate: all_reduce, bytes: 8000 B}
END
cat >graph.yml <<'END'
network: {backend: flow, graph: {npus: 16, fabric: 'torus:4x4', bandwidth: 10 GB/s, latency: 1 us}}
workload: {generate: all_reduce, bytes: 64 MiB}
END
cat >study.yml <<'END'
sweep:
  platform: small.yml
  axes:
    network.dims[0].bandwidth: [1 GB/s, 2 GB/s]
    network.dims[1].bandwidth: [0.5 GB/s, 1 GB/s, -1 GB/s]
END

# ---- runs ----

for platform in small graph; do
    for form in json csv; do
        library run $platform.yml $form
        same run $platform.yml --why --$form -
    done
    library run $platform.yml table
    same run $platform.yml --why
    library run $platform.yml per-npu
    same run $platform.yml --why --per-npu
    library run $platform.yml astra
    same run $platform.yml --format astra
    library run $platform.yml memory
    same run $platform.yml --memory-timeline -
    library run $platform.yml traffic
    same run $platform.yml --traffic-matrix -
    library run $platform.yml explain
    same run $platform.yml --explain
    library run $platform.yml explain-all
    same run $platform.yml --explain=all
    library run $platform.yml explain-fold
    same run $platform.yml --explain-fold --why
done
library run graph.yml links
same run graph.yml --link-stats -
"$ORRERY_BIN" run small.yml --json a.json --timeline t.json --traffic-matrix t.svg --why >/dev/null
"$ORRERY_BIN" run small.yml --json b.json --set 'network.dims[1].bandwidth=2 GB/s' >/dev/null
for pair in 'timeline t.json' 'picture t.svg'; do
    library run small.yml "${pair% *}"
    compared=$((compared + 1))
    cmp -s got "${pair#* }" || {
        echo "$pair differs"
        failures=$((failures + 1))
    }
done

# ---- studies ----

change='network.dims[1].bandwidth=0.25GB/s'
library whatif small.yml table "$change"
same whatif small.yml --change "$change"
library whatif graph.yml json
same whatif graph.yml --json -
library whatif small.yml csv
same whatif small.yml --csv -
library diff a.json b.json table
same diff a.json b.json
library diff a.json b.json json
same diff a.json b.json --json -
library diff a.json b.json csv
same diff a.json b.json --csv -
library bench-collective small.yml table
same bench-collective small.yml --max 16MiB
library bench-collective small.yml csv
same bench-collective small.yml --max 16MiB --csv -

# A sweep in memory, and one in files that the command goes on with.
"$ORRERY_BIN" sweep study.yml >table 2>/dev/null || failures=$((failures + 1))
library sweep study.yml csv
cp study.csv want && cmp want got || failures=$((failures + 1))
library sweep study.yml json
cp study.jsonl want && cmp want got || failures=$((failures + 1))
library sweep study.yml table other
sed 's/other\.\(csv\|jsonl\)/study.\1/g' got | cmp - table || failures=$((failures + 1))
cmp study.csv other.csv || failures=$((failures + 1))
cmp study.jsonl other.jsonl || failures=$((failures + 1))
"$ORRERY_BIN" sweep study.yml --output other 2>&1 | grep -q '^6 of 6 points are done already$' || {
    echo "the command does not go on with the program's results"
    failures=$((failures + 1))
}

[ "$failures" -eq 0 ] && echo "$compared outputs and a sweep are the commands'"
exit $((failures > 0))
