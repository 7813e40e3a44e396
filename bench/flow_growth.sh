#!/usr/bin/env bash
# Growth of the time to simulate flows with their number and that of the hosts, on fat-trees with ECMP and links of
# 100 Gb/s: prints a table, and the exponent of the time over the flows (least squares of logarithms).
#   bench/flow_growth.sh [BENCH_FLOWS [MAX_FLOWS]]
set -euo pipefail
bench=${1:-build/release/bench/bench_flows}
max=${2:-1000000}
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT

for hosts in 16 64 256 1024; do
    ((hosts * (hosts - 1) <= 2 * max)) && "$bench" all-to-all "$hosts" 0 | tee -a "$lines"
done
for pattern in random ring; do
    for hosts in 16 128 1024 16384; do
        for flows in 1000 10000 100000 1000000; do
            [ "$pattern" = ring ] && ((flows < hosts)) && continue
            ((flows <= max)) && "$bench" "$pattern" "$hosts" "$flows" | tee -a "$lines"
        done
    done
done

# Columns: pattern, hosts, flows, seconds. Cases below 5 ms say nothing.
awk '{ key = $1 == "all-to-all" ? $1 : $1 " " $2
       if ($4 < 0.005) next
       x = log($3); y = log($4); n[key]++; sx[key] += x; sy[key] += y; sxx[key] += x * x; sxy[key] += x * y }
     END { for (key in n) if (n[key] > 1)
               printf "%-16s exponent %.2f\n", key, (n[key] * sxy[key] - sx[key] * sy[key]) / (n[key] * sxx[key] - sx[key] ^ 2) }' \
    "$lines" | sort
