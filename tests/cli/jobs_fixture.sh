# For tests of orrery run: a folder of their own, what is refused, times of iterations, and a task graph.
set -u

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# refuses TEXT ARGUMENTS...: exit status 2, and the first line on stderr is the text
refuses() {
    text=$1
    shift
    "$ORRERY_BIN" run "$@" >out 2>err
    [ $? -eq 2 ] || fail "$*: expected exit status 2"
    [ "$(head -1 err)" = "$text" ] || fail "$*: expected \"$text\", got \"$(head -1 err)\""
}

# times_of ARGUMENTS...: the times of all iterations in us, in one line
times_of() {
    "$ORRERY_BIN" run "$@" --csv times.csv >out 2>err || fail "$*: $(cat err)"
    awk -F, 'NR > 1 { printf("%s%.3f", (NR > 2 ? " " : ""), $5 / 1e6) }' times.csv
}

# expect TIMES ARGUMENTS...
expect() {
    wanted=$1
    shift
    got=$(times_of "$@")
    [ "$got" = "$wanted" ] || fail "$*: expected $wanted us, got $got"
}

# Two servers: 1 ms of computing, then 100 packets of 8936 bytes.
cat >two.dot <<'END'
digraph g {
  node0 [label="{ npu_id=0 | fwd | FORWARD | COMP_NODE | runtime=0.001 }"];
  node1 [label="{ npu_id=0 | x | COMM | COMM_SEND_RECV_NODE | src=0 | dst=1 | size=893600 }"];
  node0 -> node1;
}
END
