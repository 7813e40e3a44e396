#!/bin/sh
# Parts from outside: those of examples/plugin pass the contract tests and run as what they are beside; parts that break a
# contract, each in one way, are named, and nothing crashes.
set -u

command -v cc >/dev/null || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
cd "$work" || exit 1

fail() {
    echo "$*"
    failures=$((failures + 1))
}

# compile NAME SOURCE [OPTION...]
compile() {
    name=$1 source=$2
    shift 2
    cc -std=c11 -Wall -Wextra -Werror -Wno-unused -O1 "$@" -shared -fPIC -I "$ORRERY_SOURCE_DIR/include" -o "$name.so" \
        "$ORRERY_SOURCE_DIR/$source" -lm || fail "$source does not compile"
}

# says STATUS TEXT ARGUMENT...: the command's exit status, and a text in its output
says() {
    expected=$1 text=$2
    shift 2
    said=$("$ORRERY_BIN" "$@" 2>&1)
    status=$?
    { [ $status -eq "$expected" ] && printf '%s' "$said" | grep -qF -e "$text"; } ||
        fail "orrery $*: status $status, expected $expected and \"$text\", got: $said"
}

compile packets examples/plugin/packets.c
compile parts examples/plugin/parts.c
says 0 'network backend packets: ok, 5 jobs, each twice' plugin check ./packets.so
says 0 'controller round_robin: ok, 96 decisions, each twice
collective hop_ring: ok, proved for 2 to 17 ranks' plugin check packets.so parts.so
for example in packets parts; do
    [ "$(wc -l <"$ORRERY_SOURCE_DIR/examples/plugin/$example.c")" -le 150 ] || fail "examples/plugin/$example.c: too long"
done

# Ring of 8 on a switch of 10 GB/s: 14 steps of 1 GiB / 8, of 4 KiB packets that are on a second link for 0.4096 us
switch='--topology Switch(8) --bandwidth 10GB/s --set system.chunks=1'
# shellcheck disable=SC2086 # lists of words
{
    says 0 'job time 187.911 ms on 8 NPUs' run $switch all_reduce_1gb --plugin ./packets.so --set network.backend=packets --set system.algorithms.all_reduce=ring
    says 0 'job time 187.905 ms on 8 NPUs' run $switch all_reduce_1gb --plugin=./parts.so --set system.algorithms.all_reduce=hop_ring
    ORRERY_PLUGINS=./packets.so:$work/parts.so
    export ORRERY_PLUGINS
    says 0 'job time 187.911 ms on 8 NPUs' run $switch all_reduce_1gb --set network.backend=packets --set system.algorithms.all_reduce=hop_ring
    says 2 'such as hop_ring, got "hop_rings"' run $switch all_reduce_1gb --set system.algorithms.all_reduce=hop_rings
    says 2 'expected analytical, congestion, flow or packets, got "packts"' run $switch all_reduce_1gb --set network.backend=packts
    unset ORRERY_PLUGINS
    says 2 'got "hop_ring"' run $switch all_reduce_1gb --set system.algorithms.all_reduce=hop_ring
}
says 0 'hop_ring' bench-collective --topology 'Ring(8)' --bandwidth '10 GB/s' --min 1MiB --max 1MiB --plugin ./parts.so --set \
    system.algorithms.all_reduce=hop_ring
cat >sweep.yml <<'END'
sweep:
  set:
    network: {topology: Switch(8), bandwidth: 10 GB/s}
    workload: {generate: all_reduce, bytes: 1 MB}
  axes:
    system.algorithms.all_reduce: [ring, hop_ring]
    network.backend: [analytical, packets]
END
says 0 '4 points, 0 failed' sweep sweep.yml --plugin ./parts.so --plugin ./packets.so
says 0 'on 16 NPUs' run "$ORRERY_SOURCE_DIR/examples/link_failure/circuits.yml" --plugin ./parts.so --set network.circuits.controller=round_robin
says 2 'this backend does not support graphs' run "$ORRERY_SOURCE_DIR/examples/link_failure/circuits.yml" --plugin ./packets.so --set network.backend=packets

# ---- files that are no plugins ----

says 2 './nope.so: cannot be loaded: ' plugin check ./nope.so
echo text >text.so
says 2 'text.so: cannot be loaded: ' run --plugin text.so conv_3d
says 2 'it defines no `orrery_plugin` (orrery/extend.h)' plugin check "$ORRERY_BUILD_DIR/lib/fail_allocation.so"
says 2 'orrery: an option needs a value: --plugin' run --plugin
says 2 'orrery plugin: expected FILE.so' plugin check
cp parts.so again.so
says 2 './again.so: controller round_robin: there is one of this name already' plugin check --plugin ./parts.so ./again.so
says 0 'ok' plugin check --plugin ./parts.so ./parts.so
if command -v objcopy >/dev/null; then # an object of another architecture
    cp parts.so other.so
    printf '\267\000' | dd of=other.so bs=1 seek=18 conv=notrunc 2>/dev/null
    says 2 './other.so: cannot be loaded: ' plugin check ./other.so
fi

# ---- broken contracts ----

# wrong TEXT OPTION...: what the check says of a part
wrong() {
    text=$1
    shift
    compile wrong tests/cli/plugins/wrong.c "$@"
    says 2 "./wrong.so: $text" plugin check ./wrong.so
}
wrong 'its structs are of version 9, expected 1' -DVERSION=9
wrong 'struct orrery_extension has 8 bytes, expected ' -DOTHER_SIZE
wrong 'network backend wrong: the function `send` is missing' -DBACKEND -DNO_SEND
wrong 'a network backend: expected a name of a-z, 0-9 and _ with at most 47 letters, and a summary, got "My Net"' -DBACKEND '-DNAME="My Net"'
wrong 'network backend flow: there is one of this name already' -DBACKEND '-DNAME="flow"'
wrong 'controller utility: there is one of this name already' -DCONTROLLER '-DNAME="utility"'
wrong 'collective ring: there is one of this name already' -DCOLLECTIVE '-DNAME="ring"'
wrong 'collective auto: there is one of this name already' -DCOLLECTIVE '-DNAME="auto"'
wrong 'network backend wrong: {generate: all_reduce, bytes: 1 MB} on Ring(4): network backend wrong: delivers a message that it was not given, or twice' -DBACKEND -DTWICE
wrong 'network backend wrong: {generate: all_reduce, bytes: 1 MB} on Ring(4): network backend wrong: delivers a message that it was not given, or twice' -DBACKEND -DUNKNOWN
wrong 'network backend wrong: {generate: all_reduce, bytes: 1 MB} on Ring(4): network backend wrong: schedules a call in the past' -DBACKEND -DPAST
wrong 'network backend wrong: {generate: all_reduce, bytes: 1 MB} on Ring(4): network backend wrong: schedules no function' -DBACKEND -DNO_CALL
wrong 'network backend wrong: {generate: all_reduce, bytes: 1 MB} on Ring(4): network backend wrong: needs a torus' -DBACKEND -DNO_NETWORK
wrong 'network backend wrong: {generate: all_reduce, bytes: 1 MB} on Ring(4): ' -DBACKEND -DLOSES
wrong 'network backend wrong: {generate: all_reduce, bytes: 1 MB} on Ring(4) takes ' -DBACKEND -DCHANGES
wrong 'controller wrong: sets 2 circuits from node 0, which has 1 ports' -DCONTROLLER -DMANY
wrong 'controller wrong: sets a circuit from node 0 to itself' -DCONTROLLER -DITSELF
wrong 'controller wrong: sets another number of circuits from node 0 to ' -DCONTROLLER -DONE_WAY
wrong 'controller wrong: decides otherwise on the same view' -DCONTROLLER -DFICKLE
wrong 'collective wrong: supports nothing of 2 to 8 ranks' -DCOLLECTIVE -DNOTHING
wrong 'collective wrong: broadcast of 3 ranks: ' -DCOLLECTIVE -DNOBODY
wrong 'collective wrong: broadcast of 2 ranks: ' -DCOLLECTIVE -DDEADLOCK
wrong 'collective wrong: broadcast of 2 ranks: ' -DCOLLECTIVE -DOTHER_BYTES
compile wrong tests/cli/plugins/wrong.c -DCOLLECTIVE -DTOO_MANY_BLOCKS
says 0 'collective wrong: ok' plugin check ./wrong.so

# What a controller decides in a run is checked as well.
compile wrong tests/cli/plugins/wrong.c -DCONTROLLER -DMANY
says 2 'network.circuits.controller: wrong: sets 5 circuits from node 0, which has 4 ports' run \
    "$ORRERY_SOURCE_DIR/examples/link_failure/circuits.yml" --plugin ./wrong.so --set network.circuits.controller=wrong
compile wrong tests/cli/plugins/wrong.c -DBACKEND -DLOSES
says 3 'deadlock' run --topology 'Ring(4)' --bandwidth '1 GB/s' all_reduce_1gb --plugin ./wrong.so --set network.backend=wrong

[ "$failures" -eq 0 ] && echo "parts from outside: run, and are named when they are wrong"
exit $((failures > 0))
