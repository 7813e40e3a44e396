#!/bin/sh
# A network in the topology notation: in files and on the command line, the ways to give bandwidths
# and latencies, and what is said about wrong ones.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

cat >w.yml <<'END'
workload: {generate: all_reduce, bytes: 1 MiB}
END

# wall ARGUMENT...: the job's time in ps
wall() {
    "$ORRERY_BIN" run "$@" --json - 2>&1 | sed -n 's/^  "wall_ps": \([0-9]*\),$/\1/p;/orrery\|yml/p'
}

# same NAME EXPECTED FOUND
same() {
    if [ "$2" != "$3" ] || [ -z "$3" ]; then
        printf '%s: expected %s, found %s\n' "$1" "$2" "$3"
        failures=$((failures + 1))
    fi
}

# refuses ARGUMENT... <<END: status 2, nothing on standard output, and this on standard error
refuses() {
    cat >want
    "$ORRERY_BIN" run "$@" >out 2>err </dev/null
    status=$?
    if [ "$status" -ne 2 ] || [ -s out ] || ! cmp -s want err; then
        printf 'orrery run %s: exit status %s\nit says:  %s\nexpected: %s\n' "$*" "$status" \
            "$(cat out err)" "$(cat want)"
        failures=$((failures + 1))
    fi
}

# ---- the same network, said in different ways ----

cat >long.yml <<'END'
network:
  bandwidth_is: npu
  dims:
    - {block: ring, npus: 4, bandwidth: 100 GB/s, latency: 500 ns}
    - {block: switch, npus: 8, bandwidth: 50 GB/s, latency: 1 us}
END
expected=$(wall long.yml w.yml)
case $expected in
'' | *[!0-9]*) same 'the long form' 'a time' "$expected" ;;
esac
for network in \
    '{topology: Ring(4)_Switch(8), bandwidth_is: npu, bandwidth: [100 GB/s, 50 GB/s], latency: [500 ns, 1 us]}' \
    '{topology: R(4)_SW(8), bandwidth_is: npu, bandwidth: 100_50 GB/s, latency: 500_1000 ns}' \
    '{topology: R(4)_S(8), bandwidth_is: npu, bandwidth: "100_50GB/s", latency: [0.5 us, 1 us]}' \
    '{topology: R(4)_SW(8), bandwidth_is: npu, latency: 1 us, dims: [{bandwidth: 100 GB/s, latency: 500 ns}, {bandwidth: 50 GB/s}]}' \
    '{dims: [{block: ring, npus: 4, bandwidth: 100 GB/s}, {block: switch, npus: 8, bandwidth: 50 GB/s}], bandwidth_is: npu, latency: [500 ns, 1 us]}'; do
    printf 'network: %s\n' "$network" >x.yml
    same "$network" "$expected" "$(wall x.yml w.yml)"
done
set -- --topology 'Ring(4)_Switch(8)' --bandwidth-is npu
same 'options' "$expected" "$(wall "$@" --bandwidth '100 GB/s,50 GB/s' --latency '500 ns,1 us' w.yml)"
same 'options, spaces' "$expected" \
    "$(wall "$@" --bandwidth ' 100 GB/s , 50 GB/s' --latency '500 ns, 1 us' w.yml)"
same 'options, one unit' "$expected" \
    "$(wall "$@" --bandwidth '100_50 GB/s' --latency '500_1000 ns' w.yml)"
same 'options, no file' "$expected" \
    "$(wall "$@" --bandwidth '100_50 GB/s' --latency '500_1000 ns' --set workload.generate=all_reduce \
        --set 'workload.bytes=1 MiB')"
# They stand in place of all of a file's network, and --set comes after them.
printf 'network: {dims: [{block: ring, npus: 3, bandwidth: 1 GB/s}]}\n' >other.yml
same 'options over a file' "$expected" \
    "$(wall other.yml w.yml "$@" --bandwidth '100_50 GB/s' --latency '500_1000 ns')"
same '--set over options' "$expected" \
    "$(wall w.yml "$@" --bandwidth '1 GB/s' --latency '500_1000 ns' \
        --set 'network.bandwidth=[100 GB/s, 50 GB/s]')"

# One value for all: 1 MB/s and no latency on a ring of 2 is what it is on two dimensions of size 1.
same 'one for all' \
    "$(wall w.yml --topology 'R(2)' --bandwidth '1 GB/s')" \
    "$(wall w.yml --topology 'R(1)_R(2)_SW(1)' --bandwidth '1 GB/s')"

"$ORRERY_BIN" whatif w.yml "$@" --bandwidth '100_50 GB/s' --change 'network.bandwidth=200_50 GB/s' \
    >out 2>&1 || same whatif 'status 0' "$(cat out)"

# ---- wrong on the command line ----

refuses w.yml --topology 'R(4)_Cube(8)' --bandwidth '1 GB/s' <<'END'
orrery run: topology: expected Ring, FC (FullyConnected), Switch or Mesh with a size, such as Ring(4)
  R(4)_Cube(8)
       ^
END
refuses w.yml --topology 'R(4)_SW(0)' --bandwidth '1 GB/s' <<'END'
orrery run: topology: expected a number of NPUs >= 1
  R(4)_SW(0)
          ^
END
refuses w.yml --topology '' --bandwidth '1 GB/s' <<'END'
orrery run: topology: expected Ring, FC (FullyConnected), Switch or Mesh with a size, such as Ring(4)
  
  ^
END
refuses w.yml --topology 'R(65536)_SW(65536)' --bandwidth '1 GB/s' <<'END'
orrery run: --topology: more than 2^31 NPUs together
END
refuses w.yml --topology 'R(4)' <<'END'
orrery run: --topology needs --bandwidth, such as --bandwidth '50 GB/s'
try 'orrery run --help'
END
refuses w.yml --latency '1 ns' <<'END'
orrery run: expected --topology in addition to --latency
try 'orrery run --help'
END
refuses w.yml --topology 'R(4)_SW(2)' --bandwidth '1 GB/s,2 GB/s,3 GB/s' <<'END'
orrery run: --bandwidth: expected one value, or one for each of the 2 dimensions; got 3
END
refuses w.yml --topology 'R(4)' --bandwidth '1_2 GB/s' <<'END'
orrery run: --bandwidth: expected one value; got 2
END
refuses w.yml --topology 'R(4)_SW(2)_FC(3)' --bandwidth '1 GB/s' --latency '1 ns,2 ns' <<'END'
orrery run: --latency: expected one value, or one for each of the 3 dimensions; got 2
END
refuses w.yml --topology 'R(4)_SW(2)' --bandwidth '1 GB/s,' <<'END'
orrery run: --bandwidth: expected a positive bandwidth such as "50 GB/s", got ""
END
refuses w.yml --topology 'R(4)_SW(2)' --bandwidth '1_0 GB/s' <<'END'
orrery run: --bandwidth: expected a positive bandwidth such as "50 GB/s", got "0 GB/s"; it is zero
END
refuses w.yml --topology 'R(4)' --bandwidth '1 GB/s' --latency 5 <<'END'
orrery run: --latency: expected a time such as "500 ns", got "5"; a unit is missing: ps, ns, us, ms, s, min or h
END
refuses w.yml --topology 'R(4)' --bandwidth '1 GB/s' --bandwidth-is node <<'END'
orrery run: --bandwidth-is: expected link or npu, got "node"
END
refuses --topology 'R(4)' --bandwidth '1 GB/s' --network-configuration x --workload-configuration x <<'END'
orrery run: --topology and ASTRA-sim files cannot be combined
try 'orrery run --help'
END
refuses --topology 'R(4)' --bandwidth '1 GB/s' <<'END'
command line: a platform with its workload needs the key "workload" (what to run; in a file of its own as a rule), such as workload: {generate: all_reduce, bytes: 1 GB}
END

# ---- wrong in a file ----

# platform TEXT <<END
platform() {
    printf 'network: %s\n' "$1" >x.yml
    refuses x.yml w.yml
}

platform '{topology: R(4)_R(2), bandwidth: [1 GB/s, 2 GB/s, 3 GB/s]}' <<'END'
x.yml:1:43: network.bandwidth: expected one value, or one for each of the 2 dimensions; got 3
END
platform '{topology: R(4)_R(2), bandwidth: []}' <<'END'
x.yml:1:43: network.bandwidth: expected a list of 1 to 32 entries, got 0
END
platform '{topology: R(4)_R(2), bandwidth: 1000_x_3 GB/s}' <<'END'
x.yml:1:43: network.bandwidth: expected a positive bandwidth such as "50 GB/s", got "1000_x_3 GB/s"; "_x_3 GB/s" is none of the units B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, b/s, kb/s, Mb/s, Gb/s or Tb/s
END
platform '{topology: R(4)_R(2), bandwidth: 1000__3 GB/s}' <<'END'
x.yml:1:48: network.bandwidth: expected a positive bandwidth such as "50 GB/s", got " GB/s"
END
platform '{topology: R(4)_R(2), bandwidth: "10_-3 GB/s"}' <<'END'
x.yml:1:47: network.bandwidth: expected a positive bandwidth such as "50 GB/s", got "-3 GB/s"; it is negative
END
platform '{topology: R(4)_R(2), bandwidth: 1000_200}' <<'END'
x.yml:1:43: network.bandwidth: expected a positive bandwidth such as "50 GB/s", got "1000"; a unit is missing: B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, b/s, kb/s, Mb/s, Gb/s or Tb/s
END
platform '{topology: R(4)_R(2), bandwidth: [1 GB/s, fast]}' <<'END'
x.yml:1:52: network.bandwidth[1]: expected a positive bandwidth such as "50 GB/s", got "fast"
END
platform '{topology: R(4), bandwidth: 1 GB/s, dims: [{bandwidth: 1 GB/s}]}' <<'END'
x.yml:1:27: network.bandwidth: network.dims gives bandwidths already; remove one of the two
END
platform '{topology: R(4), bandwidth: 1 GB/s, latency: [1 ns, 2 ns]}' <<'END'
x.yml:1:55: network.latency: expected one value; got 2
END
platform '{topology: R(65536)_R(65536), bandwidth: 1 GB/s}' <<'END'
x.yml:1:21: network.topology: more than 2^31 NPUs together
END
platform '{bandwidth: 1 GB/s}' <<'END'
x.yml:1:10: network: the network section needs the key "dims" (the dimensions, the innermost first), such as dims: [{block: switch, npus: 8, bandwidth: 300 GB/s, latency: 500 ns}], or "topology" and "bandwidth", such as topology: Switch(8), bandwidth: 300 GB/s; or "graph", such as graph: {npus: 64, fabric: fat-tree, bandwidth: 100 Gb/s}
END
platform '{topology: "R(4)_X(2)", bandwidth: 1 GB/s}' <<'END'
x.yml:1:21: topology: expected Ring, FC (FullyConnected), Switch or Mesh with a size, such as Ring(4)
  R(4)_X(2)
       ^
END

[ "$failures" -eq 0 ] && echo "the topology notation: as documented"
exit $((failures > 0))
