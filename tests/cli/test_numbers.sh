#!/bin/sh
# Jobs that take no time, send nothing or have a single NPU: every command tells numbers of them, and none is
# nan or infinite, in tables, JSON, CSV or pictures.
set -u

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

# numbers COMMAND...: exit status 0, and only numbers on standard output and in files written
numbers() {
    "$ORRERY_BIN" "$@" >out 2>err || { echo "$*: exit status $?: $(cat err)"; failures=$((failures + 1)); }
    found=$(find . -newer mark -type f ! -name '*.et' -exec \
        grep -HnE '(^|[^[:alnum:]_])-?(nan|NaN|inf)($|[^[:alnum:]_])' {} + | head -3)
    [ -z "$found" ] || { echo "$*: $found"; failures=$((failures + 1)); }
}
: >mark
sleep 0.01

cat >alone.yml <<'END'
network: {topology: Ring(1), bandwidth: 1 GB/s}
workload: {generate: all_reduce, bytes: 4000 B}
END
cat >nothing.yml <<'END'
network: {topology: Ring(4), bandwidth: 1 GB/s}
workload: {generate: barrier}
END
cat >graph.yml <<'END'
network: {graph: {npus: 2, links: [{from: 0, to: 1, bandwidth: 1 GB/s}]}}
workload: {generate: barrier}
END
for job in alone nothing graph; do
    numbers run $job.yml --json $job.json --csv - --timeline $job.timeline.json --traffic-matrix $job.svg
    for backend in congestion flow; do
        numbers run $job.yml --set network.backend=$backend --why
        numbers run $job.yml --set network.backend=$backend --why --json -
    done
    for format in --json --csv; do
        numbers whatif $job.yml $format -
        numbers diff $job.json alone.json $format -
    done
    numbers whatif $job.yml
    numbers diff $job.json $job.json
    numbers diff alone.json $job.json
    numbers topo show $job.yml
    numbers topo show $job.yml --json
    numbers topo draw $job.yml -o $job.dot
done
numbers run graph.yml --link-stats -
numbers bench-collective alone.yml --min 4KiB --max 8KiB
numbers bench-collective nothing.yml --min 4KiB --max 8KiB --csv -
numbers topo show full-mesh --npus 1
numbers topo show full-mesh --npus 1 --bandwidth '1 GB/s' --json

echo 'digraph g { node0 [label="{ npu_id=0 | x | FW | COMP_NODE | runtime=0 }"]; }' >none.dot
printf 'cluster: {servers: 2, fabric: ideal-switch, link_bandwidth: 1 GB/s}\njobs: [{taskgraph: none.dot}]\n' >jobs.yml
numbers run --taskgraph none.dot --fabric ideal-switch --link-bandwidth 1GB/s --link-stats - --traffic-matrix x.svg
numbers run --taskgraph none.dot --fabric ideal-switch --link-bandwidth 1GB/s --json -
numbers run --cluster jobs.yml --alone
numbers run --cluster jobs.yml --alone --json - --csv jobs.csv
"$ORRERY_BIN" gen barrier --npus 2 --output barrier >out 2>err || cat err
numbers trace stats barrier.0.et
numbers trace stats barrier.0.et --json

[ "$failures" -eq 0 ] && echo "numbers: all are"
exit $((failures > 0))
