#!/bin/bash
# Statements of case studies (examples/figures/common.sh): a number that is missing, since it was not run or its run failed,
# is "not run", never "no"; the others go on.
set -u
work_folder=$(mktemp -d) || exit 1
trap 'rm -rf "$work_folder"' EXIT
failures=0

cat >"$work_folder/figure.sh" <<END
figure=figure
here=$ORRERY_SOURCE_DIR/examples/topoopt
. "\$here/common.sh"
. "\$here/dedicated.sh"
run_models=bert_5_3
profiles=
workload_files \$run_models
# No tree has 130 ports a server: that point fails, the other does not.
iterations "\$work/times.csv" 1 topoopt -- "network.design.degree: [4, 127]" "network.design.bandwidth: [100 Gb/s]" 2>"\$out/told"
four=\$(of "\$work/times.csv" topoopt bert_5_3 4 100) many=\$(of "\$work/times.csv" topoopt bert_5_3 127 100)
says "runs" "1" "\$(calc "\$four / \$four")" "\$(within "\$(calc "\$four / \$four")" 0.9 1.1)" ""
says "fails" "1" "\$(calc "\$many / \$four")" "\$(within "\$(calc "\$many / \$four")" 0.9 1.1)" "why"
says "fails below" "1" "\$(calc "\$four / \$many")" "\$(within "\$(calc "\$four / \$many")" 0.9 1.1)" "why"
says "not near" "1" "\$(calc "2 * \$four / \$four")" "\$(within "\$(calc "2 * \$four / \$four")" 0.9 1.1)" ""
says "said so" "1" "not run" no ""
finish
END
ORRERY_BIN=$ORRERY_BIN bash "$work_folder/figure.sh" "$work_folder/out" >"$work_folder/said" 2>&1 || {
    cat "$work_folder/said"
    exit 1
}
expected='figure,"runs","1","1.0000","yes",""
figure,"fails","1","not run","not run","why"
figure,"fails below","1","not run","not run","why"
figure,"not near","1","2.0000","no",""
figure,"said so","1","not run","not run",""'
[ "$(cat "$work_folder/out/figure_statements.csv")" = "$expected" ] || {
    cat "$work_folder/out/figure_statements.csv" "$work_folder/out/told"
    failures=1
}
grep -q 'a run failed, and what needs it says "not run"' "$work_folder/out/told" || {
    echo "a failed point is not told: $(cat "$work_folder/out/told")"
    failures=1
}
exit $failures
