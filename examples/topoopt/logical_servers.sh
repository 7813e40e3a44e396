#!/bin/bash
# Hosts that forward (section 6, appendix I), and one server as several logical ones (section 7): DLRM on the
# testbed's 12 servers with four interfaces of 25 Gb/s, jumps 1 and 5.
#
#   usage: examples/topoopt/logical_servers.sh [OUTDIR]
figure=logical_servers
. "$(dirname "$0")/common.sh"

echo "Hosts that forward, and logical servers: DLRM on 12 servers, d = 4, 25 Gb/s"
echo "times of operators: the roofline's (server.yml), as nobody has measured these"
graph=$(task_graph dlrm_6 12)
dlrm() { # dlrm NOTATION OPTION...: ms
    local notation=$1
    shift
    flows --taskgraph "$graph" --fabric "$notation" --link-bandwidth 25Gb/s "$@"
}
usual=$(dlrm circulant:1,5)
printf '\n%-14s %12s %10s\n' delay ms slowdown
delays="1us 10us 100us 1ms"
limits="100 50 25 10"
[ -z "${QUICK:-}" ] || { delays="10us" limits="100 10"; }
for delay in $delays; do
    ms=$(dlrm circulant:1,5 --forwarding "$delay")
    printf '%-14s %12.3f %10.4f\n' "$delay" "$ms" "$(calc "$ms / $usual")"
done

printf '\n%-14s %12s %10s\n' "limit, Gb/s" ms slowdown
echo "limit_gbit_per_s,ms,slowdown" >"$out/logical_servers.csv"
for limit in $limits; do
    ms=$(dlrm circulant:1,5 --forwarding-limit "${limit}Gb/s")
    printf '%-14s %12.3f %10.4f\n' "$limit" "$ms" "$(calc "$ms / $usual")"
    echo "$limit,$ms,$(calc "$ms / $usual")" >>"$out/logical_servers.csv"
done
free=$(awk -F, '$1 == 100 { print $3 }' "$out/logical_servers.csv")
says "Packets of others cost a host little (I)" "words only" \
    "a limit of 100 Gb/s a host takes $free of the time without one" "$(within "$free" 0.999 1.01)" \
    "what has to go over hosts is the transfers alone; a limit of 10 Gb/s is felt"

# Two jobs, each on its half of all servers: of memory, accelerators and interfaces.
cat >"$work/two.yml" <<EOF
cluster:
  servers: 24
  fabric: circulant:1,5/2@logical
  link_bandwidth: 25 Gb/s
  flow_model: maxmin
jobs:
  - {name: even, taskgraph: $graph, servers: "0,2,4,6,8,10,12,14,16,18,20,22"}
  - {name: odd, taskgraph: $graph, servers: "1,3,5,7,9,11,13,15,17,19,21,23"}
EOF
two=$("$orrery" run --cluster "$work/two.yml" --json - | awk '/^  "end_ps":/ { printf "%.6f", ($2 + 0) / 1e9 }')
one=$(dlrm circulant:1,5/1@logical)
printf '\n%-42s %12.3f ms\n' "a job on 12 servers" "$usual" "two jobs on two logical ones of each server" "$two"
must "a logical server that is all of its server takes as long as that, ms" "$one" "$usual" 0
says "Servers may be split into logical ones (7)" "words only" \
    "two jobs side by side take $(calc "$two / $usual") of the time of one on whole servers" \
    "$(within "$(calc "$two / $usual")" 1 2.02)" "twice, but for what one computes while the other sends"
awk -F, 'NR > 1 { print "DLRM," $1 "," $2 }' "$out/logical_servers.csv" |
    plot logical_servers logx=1 logy=1 title="12 servers, d = 4, 25 Gb/s" xlabel="Gb/s that a host passes on" ylabel="ms"
finish
