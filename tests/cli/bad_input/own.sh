# shellcheck shell=sh
# Sourced by tests of wrong platforms and workloads: a work folder with a good platform of 4 NPUs
# (p.yml) and a good workload (w.yml), and checks of what a run with other files says.

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
cases=0

cat >p.yml <<'END'
network:
  dims:
    - {block: ring, npus: 4, bandwidth: 50 GB/s, latency: 500 ns}
END
cat >w.yml <<'END'
workload: {generate: all_reduce, bytes: 1 MiB}
END
"$ORRERY_BIN" run p.yml w.yml >out 2>&1 || {
    cat out
    exit 1
}

# file NAME TEXT: a file; the text is one of printf
file() {
    # shellcheck disable=SC2059 # the text has escapes
    printf -- "$2" >"$1"
}

# refuses ARGUMENT... <<END: a run ends with status 2, prints nothing, and says what stands before
# END on standard error
refuses() {
    cat >want
    cases=$((cases + 1))
    "$ORRERY_BIN" run "$@" >out 2>err </dev/null
    status=$?
    if [ "$status" -ne 2 ] || [ -s out ] || ! cmp -s want err; then
        printf 'orrery run %s: exit status %s\nit says:  %s\nexpected: %s\n' "$*" "$status" \
            "$(cat out err)" "$(cat want)"
        failures=$((failures + 1))
    fi
}

# platform TEXT <<END: this platform, x.yml, with the good workload
platform() {
    file x.yml "$1"
    refuses x.yml w.yml
}

# workload TEXT <<END: the good platform with this workload, x.yml
workload() {
    file x.yml "$1"
    refuses p.yml x.yml
}

finish() {
    [ "$failures" -eq 0 ] || exit 1
    printf '%s cases\n' "$cases"
}
