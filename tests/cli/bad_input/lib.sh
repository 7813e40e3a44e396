# Sourced by tests of wrong and odd inputs: a work folder with good files of a job on 4 NPUs, and
# checks of what a run of them with other options says. The test sets "here" to its own folder.

. "$here/bad_input/trace.sh"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
cases=0

# refuses STATUS OPTION... <<END: a run of the good files with these options ends with the status,
# prints nothing, and says what stands before END on standard error
refuses() {
    expected=$1
    shift
    cat >want
    cases=$((cases + 1))
    "$ORRERY_BIN" run --workload-configuration good --system-configuration good.json \
        --network-configuration good.yml "$@" >out 2>err </dev/null
    status=$?
    [ "$status" -eq "$expected" ] || fail "exit status $status, expected $expected" "$*"
    [ ! -s out ] || fail "standard output is not empty" "$*"
    cmp -s want err || fail "standard error is: $(cat err)
expected: $(cat want)" "$*"
}

fail() {
    printf 'orrery run ... %s: %s\n' "$2" "$1"
    failures=$((failures + 1))
}

# ---- good files, 4 NPUs ----

cat >good.json <<'END'
{
    "scheduling-policy": "LIFO",
    "endpoint-delay": 10,
    "preferred-dataset-splits": 2,
    "all-reduce-implementation": ["ring"],
    "local-mem-bw": 50
}
END
cat >good.yml <<'END'
topology: [ Ring ]
npus_count: [ 4 ]
bandwidth: [ 50.0 ]
latency: [ 500.0 ]
END
traces good 4 <<'END'
node 1 7 all-reduce
int comm_type 0
int comm_size 65536
END
"$ORRERY_BIN" run --workload-configuration good --system-configuration good.json \
    --network-configuration good.yml >/dev/null 2>err || fail "the good files: $(cat err)" ""

# At the end of a test.
finish() {
    [ "$failures" -eq 0 ] || exit 1
    printf '%s cases\n' "$cases"
}
