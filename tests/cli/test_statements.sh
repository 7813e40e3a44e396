#!/bin/bash
# Statements of case studies (examples/figures/common.sh): a number that is missing, since it was not run or its run failed,
# is "not run", never "not reached", and what failed is named; the others go on. Then figures with one point that fails.
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
lost=\$(failed "a point" 'with a "reason", told')
says "in a range" "1" "2, \$lost at 25" "\$({ echo "10 yes"; echo "25 \$(within "\$lost" 0 1)"; } | span Gb/s)" "why"
says "of all" "1" "2" "\$({ echo yes; within "\$lost" 0 1; } | all_of)" "why"
says "one is not" "1" "2" "\$({ echo no; within "\$lost" 0 1; } | all_of)" "why"
adds "no statement" "3" "other readings"
finish
END
ORRERY_BIN=$ORRERY_BIN bash "$work_folder/figure.sh" "$work_folder/out" >"$work_folder/said" 2>&1 || {
    cat "$work_folder/said"
    exit 1
}
expected='figure,"runs","1","1.0000","reached",""
figure,"fails","1","not run","not run","topoopt/bert_5_3/degree=127/bandwidth=100Gb/s/seed=1 failed (REASON)"
figure,"fails below","1","not run","not run","topoopt/bert_5_3/degree=127/bandwidth=100Gb/s/seed=1 failed (REASON)"
figure,"not near","1","2.0000","not reached: the cause is not known",""
figure,"said so","1","not run","not run",""
figure,"at some","1","2 of 3","reached over 10 to 25, 100 Gb/s","why"
figure,"not at all points","1","2 of 3","reached over 10 Gb/s","why"
figure,"of names","1","1 of 2","reached over c d","why"
figure,"by a condition","1","2","not run","topoopt/bert_5_3/degree=127/bandwidth=100Gb/s/seed=1 failed (REASON)"
figure,"by numbers","1","2","not reached: why",""
figure,"in a range","1","2, failed at 25","reached over 10 Gb/s","why; a_point failed (with a '"'"'reason'"'"', told)"
figure,"of all","1","2","not run","a_point failed (with a '"'"'reason'"'"', told)"
figure,"one is not","1","2","not reached: why","a_point failed (with a '"'"'reason'"'"', told)"'
reason="network.design.degree: expected an even degree for jumps of duplex links, which take two interfaces each (links: one-way takes one, and jumps may be given), got 127"
[ "$(sed "s/$reason/REASON/" "$work_folder/out/figure_statements.csv")" = "$expected" ] || {
    cat "$work_folder/out/figure_statements.csv" "$work_folder/out/told"
    failures=1
}
grep -qF "a run failed, and what needs it says so: topoopt/bert_5_3/degree=127/bandwidth=100Gb/s/seed=1: $reason" "$work_folder/out/told" || {
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

# A command that fails some: the first point of sweeps, and what has FAILS among its arguments.
cat >"$work_folder/orrery" <<'END'
#!/bin/bash
if [ "$1" = sweep ]; then
    "$REAL" "$@" || exit
    prefix=$(sed -n 's/^  output: //p' "$2")
    awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 { $at["status"] = "failed"; for (i = at["status"] + 1; i <= NF; i++) $i = ""; $at["error"] = "\"made to fail, by the \"\"test\"\"\"" }
        { print }' "$prefix.csv" >"$prefix.failed" && mv "$prefix.failed" "$prefix.csv"
elif [[ "$*" == *"$FAILS"* ]]; then
    echo "x.yml:1:2: made to fail, by the \"test\"" >&2
    exit 2
else
    exec "$REAL" "$@"
fi
END
chmod +x "$work_folder/orrery"
# names STUDY FIGURE FAILS NAME: its statements that need what failed are "not run", and name it and why
names() {
    local rows
    rm -rf "$work_folder/out"
    REAL=$ORRERY_BIN FAILS=$3 QUICK=1 ORRERY_BIN=$work_folder/orrery \
        "$ORRERY_SOURCE_DIR/examples/$1/$2.sh" "$work_folder/out" >"$work_folder/said" 2>&1
    [ $? -le 1 ] || failures=1
    rows=$(grep -cF "\"not run\",\"$4" "$work_folder/out/${2}_statements.csv")
    [ "$rows" -ge 1 ] && grep -q "made to fail, by the 'test'" "$work_folder/out/${2}_statements.csv" || {
        echo "$1/$2: no statement names $4:"
        cat "$work_folder/said" "$work_folder/out/${2}_statements.csv"
        failures=1
    }
}
names topoopt fig28 'no such argument' 'topoopt/candle_5_3/degree=4/bandwidth=40Gb/s/seed=1 failed ('
names sip_ml fig08 'degree: 2,' 'transformer_p1-ocs2-1024-1024 failed ('
names c_cube fig15 zfnet 'run_trees.yml_zfnet_--set_workload.training='

exit $failures
