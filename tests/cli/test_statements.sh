#!/bin/bash
# Statements of case studies (examples/figures/common.sh): a number that is missing, since it was not run or its run failed,
# is "not run", never "not reached"; the others go on.
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
workload_files \$run_models
# No tree has 130 ports a server: that point fails, the other does not.
iterations "\$work/times.csv" 1 topoopt -- "network.design.degree: [4, 127]" "network.design.bandwidth: [100 Gb/s]" 2>"\$out/told"
four=\$(of "\$work/times.csv" topoopt bert_5_3 4 100) many=\$(of "\$work/times.csv" topoopt bert_5_3 127 100)
says "runs" "1" "\$(calc "\$four / \$four")" "\$(within "\$(calc "\$four / \$four")" 0.9 1.1)" ""
says "fails" "1" "\$(calc "\$many / \$four")" "\$(within "\$(calc "\$many / \$four")" 0.9 1.1)" "why"
says "fails below" "1" "\$(calc "\$four / \$many")" "\$(within "\$(calc "\$four / \$many")" 0.9 1.1)" "why"
says "not near" "1" "\$(calc "2 * \$four / \$four")" "\$(within "\$(calc "2 * \$four / \$four")" 0.9 1.1)" ""
says "said so" "1" "not run" no ""
says "at some" "1" "2 of 3" "\$(printf '10 yes\n25 yes\n40 no\n100 yes\n' | span Gb/s)" "why"
says "not at all points" "1" "2 of 3" "\$(printf '10 yes\n25 not run\n' | span Gb/s)" "why"
says "of names" "1" "1 of 2" "\$(printf 'a b no\nc d yes\n' | list_of)" "why"
says "by a condition" "1" "2" "\$(holds "\$four > 0 && \$many > 0")" "why"
says "by numbers" "1" "2" "\$(holds "2 * \$four <= \$four / 2")" "why"
adds "no statement" "3" "other readings"
finish
END
ORRERY_BIN=$ORRERY_BIN bash "$work_folder/figure.sh" "$work_folder/out" >"$work_folder/said" 2>&1 || {
    cat "$work_folder/said"
    exit 1
}
expected='figure,"runs","1","1.0000","reached",""
figure,"fails","1","not run","not run","why"
figure,"fails below","1","not run","not run","why"
figure,"not near","1","2.0000","not reached: the cause is not known",""
figure,"said so","1","not run","not run",""
figure,"at some","1","2 of 3","reached over 10 to 25, 100 Gb/s","why"
figure,"not at all points","1","2 of 3","reached over 10 Gb/s","why"
figure,"of names","1","1 of 2","reached over c d","why"
figure,"by a condition","1","2","not run","why"
figure,"by numbers","1","2","not reached: why",""'
[ "$(cat "$work_folder/out/figure_statements.csv")" = "$expected" ] || {
    cat "$work_folder/out/figure_statements.csv" "$work_folder/out/told"
    failures=1
}
grep -q 'a run failed, and what needs it says "not run"' "$work_folder/out/told" || {
    echo "a failed point is not told: $(cat "$work_folder/out/told")"
    failures=1
}
[ "$(cat "$work_folder/out/figure_additions.csv")" = 'figure,"no statement","3","other readings"' ] || {
    cat "$work_folder/out/figure_additions.csv"
    failures=1
}
# A verdict that is none of these is an error of the script.
sed 's/"said so" "1" "not run" no/"odd" "1" "2" "in part"/' "$work_folder/figure.sh" >"$work_folder/odd.sh"
ORRERY_BIN=$ORRERY_BIN bash "$work_folder/odd.sh" "$work_folder/out" >"$work_folder/said" 2>&1 && failures=1
grep -q "\"odd\": 'in part' is no verdict; expected yes, no, not run or over RANGE" "$work_folder/said" || {
    cat "$work_folder/said"
    failures=1
}
exit $failures
