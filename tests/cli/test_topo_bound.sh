#!/bin/sh
# orrery topo bound: numbers by hand on fabrics, files and platforms, and what is said about wrong input.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# says STATUS ARGUMENT... <<END: ends with the status and prints this
says() {
    expected=$1
    shift
    cat >want
    "$ORRERY_BIN" topo bound "$@" >out 2>err </dev/null
    status=$?
    cat err out >both
    [ "$status" -eq "$expected" ] && cmp -s want both ||
        fail "orrery topo bound $*: exit status $status, expected $expected
$(diff want both)"
}

# takes BOUND OPTIMUM ARGUMENT...: bound_ps and optimum_ps of the JSON
takes() {
    want="$1 $2"
    shift 2
    got=$("$ORRERY_BIN" topo bound "$@" --json - 2>&1 |
        sed -n 's/.*"\(bound\|optimum\)_ps": *\([0-9a-z]*\).*/\2/p' | tr '\n' ' ')
    [ "$got" = "$want " ] || fail "orrery topo bound $*: $got, expected $want"
}

# ---- numbers ----

# A torus of 4 x 4 with four links of 12.5 GB/s a server, S = 64 MiB: 15 S / (4 B); a reduce-scatter of 16 S
# the same; an all-reduce of S twice that with S / 16; a broadcast S / (4 B).
torus='torus:4x4 --npus 16 --bandwidth 100Gb/s --latency 1us'
takes 20132659200 20132659200 $torus --collective all_gather --bytes '64 MiB'
takes 20132659200 20132659200 $torus --collective reduce_scatter --bytes '1 GiB'
takes 2516582400 2516582400 $torus --collective all_reduce --bytes '64 MiB'
takes 1342177280 1342177280 $torus --collective broadcast --bytes 67108864

# DGX-1: six links of 25 GB/s a GPU. One NPU needs nothing.
takes 70000000 70000000 dgx1 --npus 8 --bandwidth '25 GB/s' --collective all_gather --bytes '1500000 B'
takes 0 0 ideal-switch --npus 1 --bandwidth '25 GB/s' --collective all_reduce --bytes '1 MiB'

# A ring of one direction sends over one link: 5 S / B; in files of edges as well, whose switch b sends less than
# it receives: NPU 0 to 1 over b, 1 to 0 directly.
takes 5000000 5000000 circulant:+1 --npus 6 --bandwidth '1 GB/s' --collective all_gather --bytes '1 kB'
cat >uneven.dot <<'E2'
digraph { a; c; b [kind=switch]; a -> b [bandwidth="4 GB/s"]; b -> c [bandwidth="1 GB/s"]; c -> a [bandwidth="2 GB/s"] }
E2
takes 1000000 null uneven.dot --collective all_gather --bytes '1 kB'
takes 500000 null uneven.dot --npus 2 --collective broadcast --root 1 --bytes '1 kB'
# Reduce-scatter and all-gather of 500 B each, over the link of 1 GB/s one and the other way.
takes 1000000 null uneven.dot --collective all_reduce --bytes '1 kB'

# All-to-alls of 128 hosts, 32 MiB each: 127 x 256 KiB over 12.5 GB/s; of a torus, distances 32 over 4 links; of
# servers of 8 the uplink of each, 8 x 56 parts of 512 KiB.
takes 2663383040 2663383040 fat-tree:8 --npus 128 --bandwidth 100Gb/s --collective all_to_all --bytes '32 MiB'
takes 1342177280 1342177280 $torus --collective all_to_all --bytes '32 MiB'
takes 18790481920 18790481920 fat-tree/8@300GB/s --npus 64 --bandwidth 100Gb/s --collective all_to_all --bytes '32 MiB'

# A notation, a platform that ships.
takes 70000000 70000000 'Switch(8)' --bandwidth '100 GB/s' --collective all_gather --bytes '1 MB'

says 0 $torus --collective all_reduce --bytes '64 MiB' <<'END'
torus:4x4: all_reduce over 16 NPUs, 64.00 MiB of each NPU

bound                 2.517 ms, latency not counted
optimum               2.517 ms, of a reduce-scatter, then an all-gather
cut of the reduction  15 NPUs, all but 0: 50.00 GB/s enter them
cut of the gathering  15 NPUs, all but 0: 50.00 GB/s leave them
END
says 0 uneven.dot --collective all_gather --bytes '1 kB' --json - <<'END'
{
  "graph": "uneven.dot",
  "collective": "all_gather",
  "npus": 2,
  "bytes": 1000,
  "bound_ps": 1000000,
  "optimum_ps": null,
  "cut": {
    "npus": [
      0
    ],
    "switches": [
      "b"
    ],
    "direction": "out",
    "bandwidth_bytes_per_s": 1000000000.0
  }
}
END

says 0 fat-tree/8@300GB/s --npus 64 --bandwidth 100Gb/s --collective all_to_all --bytes '32 MiB' <<'END'
fat-tree/8@300GB/s: all_to_all over 64 NPUs, 32.00 MiB from each NPU to all

bound                 18.790 ms, latency not counted
optimum               18.790 ms, by flows
bottleneck cut        8 NPUs, 0-7: 12.50 GB/s leave them
by that cut alone     18.790 ms
END

# ---- mistakes ----

cat >one_way.dot <<'E2'
digraph { a -> b; b -> a; b -> c; c -> d; d -> c }
E2
says 2 one_way.dot --bandwidth '1 GB/s' --collective all_gather --bytes '1 kB' <<'END'
network: expected a path from every NPU to every other, got no link that leads from the NPUs 2-3 to the NPUs 0-1
END
says 2 one_way.dot --bandwidth '1 GB/s' --collective broadcast --root 3 --bytes '1 kB' <<'END'
network: expected a path from every NPU to every other, got no link that leads from the NPUs 2-3 to the NPUs 0-1
END
cat >one_way.yml <<'E2'
network: {graph: {npus: 3, links: [{from: 0, to: 1, one_way: true}, {from: 1, to: 2}], bandwidth: 1 GB/s}}
E2
"$ORRERY_BIN" topo bound one_way.yml --collective all_gather --bytes '1 kB' 2>err
[ $? -eq 2 ] && grep -q 'no link leads from' err || fail "one_way.yml: $(cat err)"
says 2 torus:4x4 --npus 16 --collective all_gather --bytes '1 kB' <<'END'
bandwidth: expected that of links such as "100 Gb/s"
END
says 2 $torus --collective gather --bytes '1 kB' <<'END'
collective: expected one of all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, got "gather"
END
says 2 $torus --collective broadcast --root 16 --bytes '1 kB' <<'END'
root: expected an NPU from 0 to 15, got 16
END
says 2 $torus --bytes '1 kB' <<'END'
orrery topo: bound needs --collective NAME
try 'orrery topo --help'
END
says 2 $torus --collective all_gather <<'END'
orrery topo: bound needs --bytes BYTES
try 'orrery topo --help'
END
says 2 $torus --collective all_gather --bytes '1 kB' --set network.graph.latency=1us <<'END'
--set: network.graph.latency=1us: expected a network of a file, in which it is set; torus:4x4 is none, and has options of its own
END
says 2 uneven.dot --npus 3 --collective all_gather --bytes '1 kB' <<'END'
npus: expected a network of 3, got uneven.dot of 2
END
"$ORRERY_BIN" topo bound $torus --collective all_gather --bytes '1 kB' --json none/x.json 2>err
[ $? -ne 0 ] && grep -q 'none/x.json' err || fail "none/x.json: $(cat err)"

[ "$failures" -eq 0 ]
