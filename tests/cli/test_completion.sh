#!/bin/sh
# Completion: what bash offers with the script loaded; the scripts of the other shells are at least
# read by them, where they are installed.
set -u

command -v bash >/dev/null || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "$*"
    failures=$((failures + 1))
}

for shell in bash zsh fish; do
    "$ORRERY_BIN" completion $shell >"$work/$shell" || fail "orrery completion $shell: exit status $?"
done
cat >"$work/offer" <<'END'
. "$1"
orrery=$2
shift 2
COMP_WORDS=(orrery "$@") COMP_CWORD=$#
_orrery "$orrery" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" 2>&1
echo ${COMPREPLY[*]}
END

# offers WORDS ARGUMENT...: what is offered for the last argument
offers() {
    expected=$1
    shift
    said=$(cd "$work" && bash "$work/offer" "$work/bash" "$ORRERY_BIN" "$@")
    [ "$said" = "$expected" ] || fail "orrery $*: offers \"$said\", expected \"$expected\""
}

. "$ORRERY_SOURCE_DIR/tests/cli/support.sh"
commands=$(commands | paste -sd ' ')
offers "run" ru
offers "$commands" ""
offers "--help --version --color --plugin" --
offers "--plugin --platform" run --pl
offers "--progress" run --pro
offers "off auto" run --fold ""
offers "auto" run --fold = a
offers "true false" run --rendezvous-protocol =
offers "congestion" run --network-backend c
offers "never" --color n
offers "trace" --color never tr
offers "trace" --color = never tr
offers "info print check dot stats diff critical-path cut scale" trace ""
offers "--json" trace --j
offers "zsh" completion z
offers "scatter" gen sc
offers "dgx1_v100 dgx1_v100_16 dgx1_v100_trees dgx_a100_64" run dgx
offers "h800_2048 hgx_b200_64 hgx_b300_64 hgx_h100_256 hgx_h200_64" run --platform h
offers "mlp_data_parallel" run --workload m
offers "" run --set x
: >"$work/some_file.et"
: >"$work/some_platform.yml"
offers "some_file.et some_platform.yml" trace info some
offers "some_platform.yml" run some
offers "some_platform.yml" whatif --platform some
offers "some_file.et some_platform.yml" run --workload-configuration some

# each command and each of its options is in each script
for command in $commands; do
    for option in $(help_of "$command" | sed -n 's/^  --\([a-z-]*\).*/\1/p'); do
        bash "$work/offer" "$work/bash" "$ORRERY_BIN" "$command" "--$option" | tr ' ' '\n' |
            grep -qx -- "--$option" || fail "bash: $command lacks --$option"
        grep -qF -- "*--$option" "$work/zsh" || fail "zsh: no --$option"
        grep -qF -- "from $command' -l $option" "$work/fish" || fail "fish: $command lacks $option"
    done
done

if command -v zsh >/dev/null; then
    zsh -n "$work/zsh" || fail "zsh does not read its script"
fi
if command -v fish >/dev/null; then
    fish --no-execute "$work/fish" || fail "fish does not read its script"
fi

[ "$failures" -eq 0 ] && echo "completion: as expected"
exit $((failures > 0))
