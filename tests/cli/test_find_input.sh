#!/bin/sh
# Inputs by their names: the order in which places are searched, the list, and unknown names.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "$*"
    failures=$((failures + 1))
}

# npus WORD ARGUMENT...: the job's first line says so many NPUs
npus() {
    expected=$1
    shift
    (cd "$work" && "$ORRERY_BIN" run "$@") >"$work/out" 2>"$work/err"
    said=$(sed -n '1s/^job time .* on \([0-9]* NPUs\)$/\1/p' "$work/out")
    [ "$said" = "$expected NPUs" ] || fail "orrery run $*: \"$said\", expected $expected NPUs: $(cat "$work/err")"
}

# refused TEXT ARGUMENT...: exit status 2 and this on standard error
refused() {
    expected=$1
    shift
    (cd "$work" && "$ORRERY_BIN" run "$@") >"$work/out" 2>"$work/err"
    status=$?
    [ "$status" -eq 2 ] || fail "orrery run $*: exit status $status, expected 2"
    [ "$(cat "$work/err")" = "$expected" ] || fail "orrery run $*: says: $(cat "$work/err")
expected: $expected"
}

share=$(dirname "$(dirname "$ORRERY_BIN")")/share/orrery
npus 64 dgx_a100_64 all_reduce_1gb
npus 64 dgx_a100_64.yml workloads/all_reduce_1gb
npus 64 --platform dgx_a100_64 --workload all_reduce_1gb
npus 64 --platform dgx_a100_64 all_reduce_1gb
npus 64 --workload all_reduce_1gb dgx_a100_64

npus 4 all_reduce_1gb --topology 'Ring(4)' --bandwidth '10 GB/s'
npus 4 --workload all_reduce_1gb --topology 'Ring(4)' --bandwidth '10 GB/s'
"$ORRERY_BIN" topo show dgx_a100_64 2>&1 | grep -qx "Switch(8)_Switch(8): 64 NPUs" ||
    fail "orrery topo show dgx_a100_64: $("$ORRERY_BIN" topo show dgx_a100_64 2>&1)"

# a file of that name comes first; a folder does not
sed "/^include:/d" "$ORRERY_SOURCE_DIR/inputs/platforms/tpuv4_4x4x4.yml" >"$work/w_2d"
npus 64 w_2d all_reduce_1gb
rm "$work/w_2d"
mkdir "$work/w_2d"
npus 512 w_2d all_reduce_1gb

# ORRERY_INPUTS replaces the inputs that ship
mkdir -p "$work/own/platforms"
printf '# yaml-language-server: $schema=none\n# Two NPUs, after Wire et al. 1999,\n# on a wire. More of them: no.\nnetwork:\n  dims:\n    - block: ring\n      npus: 2\n      bandwidth: 1 GB/s\n' \
    >"$work/own/platforms/wire.yml"
mkdir -p "$work/own/models/shelf/deeper"
printf '# On its own.\n' >"$work/own/models/tiny.yml"
printf '# In a folder of its own.\n' >"$work/own/models/shelf/small.yml"
: >"$work/own/models/shelf/deeper/hidden.yml"
ORRERY_INPUTS=$work/own
export ORRERY_INPUTS
npus 2 wire "$share/workloads/all_reduce_1gb.yml"
refused "orrery: \"dgx_a100_64\": no such file, and none of the platforms in $work/own has this name
See orrery run --list-inputs." dgx_a100_64
[ "$("$ORRERY_BIN" run --list-inputs)" = "platforms in $work/own/platforms:
  wire                 Two NPUs, after Wire et al. 1999, on a wire.
workloads in $work/own/workloads:
models in $work/own/models:
  shelf/small          In a folder of its own.
  tiny                 On its own.
plans in $work/own/plans:" ] || fail "lists: $("$ORRERY_BIN" run --list-inputs)"
ORRERY_INPUTS=$work/none
refused "orrery: $work/none: no inputs here; ORRERY_INPUTS names another folder" --list-inputs
unset ORRERY_INPUTS

refused "orrery: \"dgx_a100\": no such file, and none of the platforms in $share has this name; did you mean \"dgx_a100_64\"?
See orrery run --list-inputs." dgx_a100
refused "orrery: \"mlp_data_paralel\": no such file, and none of the workloads in $share has this name; did you mean \"mlp_data_parallel\"?
See orrery run --list-inputs." w_2d mlp_data_paralel
refused "orrery: \"lama3_405b\": no such file, and none of the workloads in $share has this name; did you mean \"llama3_405b\"?
See orrery run --list-inputs." w_2d lama3_405b
refused "nope.yml: cannot be opened: No such file or directory" nope.yml
refused "/nope: cannot be opened: No such file or directory" /nope
refused "orrery run: a platform is missing: a file, or a name that orrery run --list-inputs shows
try 'orrery run --help'" --workload all_reduce_1gb
refused "orrery run: unexpected argument c
try 'orrery run --help'" --platform a b c

# each input that ships is in the list, with a comment
list=$("$ORRERY_BIN" run --list-inputs)
cd "$ORRERY_SOURCE_DIR/inputs" || exit 1
for file in platforms/*.yml workloads/*.yml models/*.yml models/*/*.yml plans/*/*.yml; do
    name=${file#*/}
    name=${name%.yml}
    printf '%s\n' "$list" | grep -qE "^  $name +[^ ]" || fail "--list-inputs lacks $name"
done

[ "$failures" -eq 0 ] && echo "inputs by name: found"
exit $((failures > 0))
