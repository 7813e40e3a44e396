# The body of Figs. 11 and 27: clusters D prints and writes the iteration times of d = D, and what is searched; mean
# and the rest are for what is said of them.
#
#   mean NETWORK OTHER MODEL         mean over the bandwidths of one network's time over the other's
#   must_mean NETWORK OTHER MODEL EXPECTED TOLERANCE
#   whole_mean NETWORK OTHER MODEL   the same, of all bandwidths only
#   claim STATEMENT PAPER HERE LOW HIGH REASON    says, reached where HERE is from LOW to HIGH
#   orders D                         what the paper says of who is fast

run_models=$models
bandwidths="10 25 40 100 200"
few="10 100" # where flows are many: steps of rings whose paths are drawn
seeds=5
budget=500 searched_at="10 100"
if [ -n "${QUICK:-}" ]; then
    run_models=vgg bandwidths=100 few=100 seeds=1 budget=20 searched_at=100
elif [ -n "${LONG:-}" ]; then
    few=$bandwidths budget=1500 searched_at=$bandwidths
elif [ "$figure" != fig11 ]; then
    bandwidths=$few few=100 searched_at=100
fi
networks="topoopt ideal fat_tree affordable oversubscribed expander sip_ml ocs_reconfig"
times=$work/times.csv
predicted=$work/predicted.csv

name_of() {
    case $1 in
    topoopt) echo TopoOpt ;;
    ideal) echo Ideal Switch ;;
    one_switch) echo Fat-tree as a switch ;;
    fat_tree) echo Fat-tree ;;
    affordable) echo affordable ;;
    oversubscribed) echo Oversub. ;;
    expander) echo Expander ;;
    sip_ml) echo SiP-ML ;;
    ocs_reconfig) echo OCS-reconfig ;;
    candle_5_3) echo CANDLE ;;
    vgg) echo VGG ;;
    bert_5_3) echo BERT ;;
    dlrm_5_3) echo DLRM ;;
    ncf) echo NCF ;;
    resnet50) echo ResNet-50 ;;
    esac
}

claim() { says "$1" "$2" "$3" "$(within "${3%% *}" "$4" "$5")" "$6"; }
every="10 25 40 100 200" # Gb/s of the paper's figures; means are over these, and not run where one is missing
whole_mean() { [ "$bandwidths" != "$every" ] || mean "$@"; }
# over_bandwidths NETWORK OTHER MODEL LOW HIGH [GB/S...]: where one's time over the other's is from LOW to HIGH
over_bandwidths() {
    local one=$1 other=$2 model=$3 low=$4 high=$5 b
    shift 5
    [ $# -gt 0 ] || set -- $every
    for b; do echo "$b $(within "$(calc "$(at "$one" "$model" "$b") / $(at "$other" "$model" "$b")")" "$low" "$high")"; done | span Gb/s
}
mean() { ratios "$times" "$1" "$2" "$3" "$degree"; }
must_mean() { must "$3: $1 over $2" "$(mean "$1" "$2" "$3")" "$4" "$5"; }

# among NAME... -- NAME...: the first that are among the second
among() {
    local names=" ${*} "
    for each in ${names%% -- *}; do
        [[ " ${names#* -- }" != *" $each "* ]] || printf '%s ' "$each"
    done
}

# times_of MODELS BANDWIDTHS SEEDS NETWORK...
times_of() {
    local chosen bandwidths=$2 seeds=$3
    chosen=$(among $1 -- $run_models)
    shift 3
    [ -n "$chosen" ] || return 0
    run_models=$chosen iterations "$times" "$seeds" "$@" -- "network.design.degree: [$degree]" \
        "network.design.bandwidth: $(listed '' ' Gb/s' $bandwidths)"
}

# same_times MODELS BANDWIDTHS SEEDS: as times_of, of the affordable trees. One of links as fast as those of a tree that ran, of
# whatever bandwidth that was, takes the same time.
same_times() {
    local b other tree anew=
    [ -n "$(among $1 -- $run_models)" ] || return 0
    for b in $2; do
        tree=$(stands_for affordable "$b")
        for other in $bandwidths none; do [ "$other" != none ] && [ "$(stands_for fat_tree "$other")" != "$tree" ] || break; done
        if [ "$other" = none ]; then anew+="$b "; else
            awk -F, -v OFS=, -v models=" $1 " -v d="$degree" -v other="$other" -v b="$b" '
                $1 == "fat_tree" && index(models, " " $2 " ") && $3 == d && $4 == other { $1 = "affordable"; $4 = b; print }' "$times" >"$work/same"
            cat "$work/same" >>"$times"
        fi
    done
    [ -z "$anew" ] || times_of "$1" "$anew" "$3" affordable
}

# What is drawn by a seed: paths of transfers, steps of rings in a tree with too few uplinks, and the expander.
# Rings alone have links of their own on TopoOpt, and in a full tree none meets another.
run_times() {
    times_of "dlrm_5_3 ncf" "$bandwidths" $seeds topoopt fat_tree
    same_times "dlrm_5_3 ncf" "$bandwidths" $seeds
    times_of "dlrm_5_3 ncf" "$few" $seeds oversubscribed expander
    times_of "dlrm_5_3 ncf" "$bandwidths" 1 ideal sip_ml
    times_of "candle_5_3 vgg bert_5_3 resnet50" "$bandwidths" 1 topoopt ideal fat_tree
    same_times "candle_5_3 vgg bert_5_3 resnet50" "$bandwidths" 1
    times_of "candle_5_3 vgg bert_5_3" "$few" $seeds oversubscribed expander
    times_of resnet50 "$bandwidths" $seeds oversubscribed expander
    # Circuits are set anew every 125 us: CANDLE's tens of seconds are too many of these.
    times_of "vgg bert_5_3 resnet50" "$bandwidths" 1 sip_ml
    # With forwarding, 10 ms of darkness at every decision.
    times_of "$models" "$bandwidths" 1 ocs_reconfig
}

# predict NETWORK NAME DEGREE: adds the evaluator's times, as those of NAME
predict() {
    local model b ms
    for model in $run_models; do
        for b in $bandwidths; do
            ms=$("$orrery" plan evaluate "$here/networks/$1.yml" "$work/$model.yml" --no-run --json - \
                --set network.design.degree="$3" --set network.design.bandwidth="$b Gb/s" |
                awk '/"predicted_ps":/ { printf "%.6f", $2 / 1e9 }')
            echo "$2,$model,$degree,$b,0,$ms" >>"$predicted"
        done
    done
}

# A full tree of links of d B / 4 also as one switch, in which no paths meet.
predict_all() {
    local network
    for network in topoopt ideal fat_tree; do predict "$network" "$network" "$degree"; done
    predict ideal one_switch "$((degree / 4))"
}

print_times() {
    local model b network
    echo "network,model,degree,gbit_per_s,mean_ms,least_ms,most_ms,predicted_ms" >"$out/$figure.csv"
    for model in $run_models; do
        printf '\n%s, ms: mean of %s seeds where something is drawn, +- half of their spread\n%6s' "$(name_of "$model")" "$seeds" Gb/s
        for network in $networks; do printf ' %19s' "$(name_of "$network")"; done
        echo
        for b in $bandwidths; do
            printf '%6s' "$b"
            for network in $networks; do
                row="$(of "$times" "$network" "$model" "$degree" "$b"),$(of "$times" "$network" "$model" "$degree" "$b" least),$(of \
                    "$times" "$network" "$model" "$degree" "$b" most)"
                [ "$row" = ,, ] || echo "$network,$model,$degree,$b,$row,$(of "$predicted" "$network" "$model" "$degree" "$b")" >>"$out/$figure.csv"
                awk -F, '{ if ($1 !~ /^[0-9]/) printf " %19s", $1 == "" ? "-" : "failed"; else printf " %10.1f +- %5.1f", $1, ($3 - $2) / 2 }' <<<"$row"
            done
            echo
        done
    done
}

print_means() {
    local model pair
    printf '\nOversub. and Expander: of %s Gb/s, ResNet-50 of all\n' "$few"
    printf 'mean over the bandwidths of      %10s %10s %10s %10s %10s %10s\n' $(for model in $models; do name_of "$model"; done)
    for pair in "fat_tree topoopt" "affordable topoopt" "oversubscribed topoopt" "expander topoopt" "sip_ml topoopt" "ocs_reconfig topoopt" "topoopt ideal"; do
        set -- $pair
        printf '%-32s' "$(name_of "$1") / $(name_of "$2")"
        for model in $models; do printf ' %10s' "$(shown %.2f "$(mean "$1" "$2" "$model")")"; done
        echo
    done
    echo "by the evaluator"
    for pair in "fat_tree topoopt" "one_switch topoopt" "topoopt ideal"; do
        set -- $pair
        printf '%-32s' "$(name_of "$1") / $(name_of "$2")"
        for model in $models; do printf ' %10s' "$(shown %.2f "$(ratios "$predicted" "$1" "$2" "$model" "$degree")")"; done
        echo
    done
}

# plan MODEL GBITS NETWORK: searches a strategy there (topoopt: and the topology), and adds a line to the table
plan() {
    local profile folder=$work/plan
    profile=$(profile_of "$1" 128)
    {
        echo "plan: {model: topoopt/$1, servers: 128, rounds: 2, search: {budget: $budget}${profile:+, profile: $profile}"
        [ "$3" != topoopt ] || echo "  , interfaces: {degree: $degree, bandwidth: $2 Gb/s}"
        echo "  }"
        sed -n '/^network:/,$!d; s/degree: 4, bandwidth: 100/degree: '"$degree"', bandwidth: '"$2"'/; p' "$here/networks/$3.yml" |
            if [ "$3" = topoopt ]; then cat >/dev/null; else cat; fi
        [ -n "$profile" ] || cat "$here/server.yml"
    } >"$work/plan.yml"
    "$orrery" plan topoopt "$work/plan.yml" -o "$folder" --progress never >"$work/said" 2>&1 || {
        cat "$work/said" >&2
        return 1
    }
    awk -v OFS=, -v head="$1,$2,$3" '
        FILENAME ~ /json$/ && /^  "simulated_ps":/ { here = $2 / 1e9 }
        FILENAME ~ /json$/ && /^  "[a-z_]*":/ { of = $1 }
        FILENAME ~ /json$/ && of == "\"data_parallel\":" && /^    "(predicted|simulated)_ps":/ { data = $2 / 1e9 }
        FILENAME ~ /json$/ && /^    "data_parallel":/ { same = $2 + 0 }
        FILENAME ~ /yml$/ && /^    ".*": *\{/ {
            how = "whole"
            if (match($0, /split: \{[^}]*\}/)) how = substr($0, RSTART + 8, RLENGTH - 9)
            gsub(/, /, " x ", how)
            if (!n[how]++) list[++kinds] = how
        }
        END {
            text = same " data parallel"
            for (i = 1; i <= kinds; i++) text = text "; " n[list[i]] " " list[i]
            printf "%s,%.6f,%.6f,\"%s\"\n", head, here, data, text
        }' "$folder/plan.json" "$folder/strategy.yml" >>"$out/${figure}_searched.csv"
}

# stands_for NETWORK GBITS: the graph of the network's design
stands_for() {
    "$orrery" topo check "$here/networks/$1.yml" --json - --set network.design.degree="$degree" \
        --set network.design.bandwidth="$2 Gb/s" | sed -n 's/^  "design": //p'
}

# The tree that is affordable is at times the one of d B / 4, for which there is an answer then.
plan_affordable() {
    local row
    if [ "$(stands_for affordable "$2")" = "$(stands_for fat_tree "$2")" ]; then
        row=$(grep "^$1,$2,fat_tree," "$out/${figure}_searched.csv")
        echo "${row/,fat_tree,/,affordable,}" >>"$out/${figure}_searched.csv"
    else
        plan "$1" "$2" affordable
    fi
}

print_searched() {
    local model b network
    echo "model,gbit_per_s,network,searched_ms,data_parallel_ms,strategy" >"$out/${figure}_searched.csv"
    for model in $run_models; do
        for b in $searched_at; do
            for network in topoopt ideal fat_tree; do plan "$model" "$b" "$network"; done
            plan_affordable "$model" "$b"
            plan "$model" "$b" oversubscribed
        done
    done
    printf '\nstrategies that are searched, %s evaluations each (TopoOpt: and its topology, by alternation), by flows\n' "$budget"
    printf '%-12s %5s %-15s %12s %10s %14s  %s\n' model Gb/s network 'ms' '/ TopoOpt' 'data parallel' 'operators'
    awk -F, 'NR > 1 {
        if ($3 == "topoopt") base = $4
        text = $0; sub(/^[^"]*"/, "", text); sub(/"$/, "", text)
        printf "%-12s %5s %-15s %12.3f %10.2f %14.3f  %s\n", $1, $2, $3, $4, $4 / base, $5, text }' "$out/${figure}_searched.csv"
}

plots() {
    local model
    for model in $run_models; do
        awk -F, -v model="$model" '$2 == model && FNR > 1 { print $1 "," $4 "," $5 "," $6 "," $7 }' "$out/$figure.csv" |
            plot "${figure}_$model" logx=1 logy=1 title="${figure/fig/Fig. }, $(name_of "$model"): 128 servers, d = $degree" \
                xlabel="Gb/s of an interface" ylabel="ms an iteration"
    done
}

clusters() {
    degree=$1
    echo "${figure/fig/Fig. }: iteration times on dedicated clusters of 128 servers, d = $degree"
    times_used
    echo "data parallelism, tables round robin, no search; equal shares, all-reduces as rings, 1 us a link; memory is not checked"
    echo "(CANDLE's 94 GB would not fit)"
    workload_files $run_models
    run_times
    predict_all
    print_times
    print_means
    plots
    print_searched
}

# at NETWORK MODEL GBITS
at() { of "$times" "$1" "$2" "$degree" "$3"; }

# furthest NETWORK OTHER MODEL: the ratio of their times furthest from 1, of all bandwidths
furthest() {
    local b most=1 each
    for b in $bandwidths; do
        each=$(calc "$(at "$1" "$3" "$b") / $(at "$2" "$3" "$b")")
        most=$(awk -v a="$most" -v b="$each" 'BEGIN { d = a < 1 ? 1 / a : a; e = b < 1 ? 1 / b : b; print (e > d ? b : a) }')
    done
    echo "$most"
}

# slowest MODEL: of each bandwidth, whether the expander is slower than any other network
slowest() {
    local b network worst
    for b in $every; do
        worst=0
        for network in ${networks/expander/}; do
            worst=$(awk -v a="$worst" -v b="$(at "$network" "$1" "$b")" 'BEGIN { print (b > a ? b : a) }')
        done
        echo "$b $(holds "$(at expander "$1" "$b") > $worst")"
    done
}

# both: of two verdicts over bandwidths the same or, where they differ, no; not run, where that is as something failed
both() {
    awk "$read_verdict"'{ if (!($0 in seen)) { seen[$0]; v[++n] = $0 } }
        END { print (n == 1 ? v[1] : losses != "" ? "not run" : "no") losses }'
}

orders() {
    local model least=${bandwidths%% *} most=${bandwidths##* } count flat
    count=$(wc -w <<<"$few")
    for model in $run_models; do
        case $model in
        candle_5_3 | vgg | bert_5_3)
            says "$(name_of "$model"): TopoOpt as the Ideal Switch" "similar" "$(furthest topoopt ideal "$model") at most" \
                "$(over_bandwidths topoopt ideal "$model" 0.9 1.1)" "within 10 %"
            says "$(name_of "$model"): Expander worst" "worst" "$(slowest "$model" | grep -c yes) of $count bandwidths: of $few Gb/s" \
                "$(slowest "$model" | span Gb/s)" "slower than any other network"
            ;;
        esac
        case $model in
        candle_5_3)
            says "CANDLE: SiP-ML as TopoOpt" "similar" "not run" "not run" "an iteration holds 20,000 to 300,000 decisions on circuits"
            claim "CANDLE: OCS-reconfig poor" "poor" "$(mean ocs_reconfig topoopt candle_5_3) x TopoOpt" 1.1 99 "10 ms of darkness every 50 ms, with forwarding"
            ;;
        vgg | bert_5_3)
            says "$(name_of "$model"): SiP-ML as TopoOpt" "the trend of CANDLE" "$(furthest sip_ml topoopt "$model") at most" \
                "$(over_bandwidths sip_ml topoopt "$model" 0.9 1.1)" "within 10 %"
            ;;
        dlrm_5_3 | ncf)
            flat=$(calc "$(at sip_ml "$model" "$least") / $(at sip_ml "$model" "$most")")
            [ "$least" != "$most" ] || flat=
            claim "$(name_of "$model"): SiP-ML flat over B" "flat" "${flat:+$flat x from $least to $most Gb/s}" 0.8 1.25 \
                "more bandwidth lets a circuit carry more before it is moved"
            ;;
        resnet50)
            says "ResNet-50: Fat-tree and SiP-ML as TopoOpt" "similar" \
                "$(furthest fat_tree topoopt resnet50) and $(furthest sip_ml topoopt resnet50) at most" \
                "$({ over_bandwidths fat_tree topoopt resnet50 0.9 1.1; over_bandwidths sip_ml topoopt resnet50 0.9 1.1; } | both)" "within 10 %"
            says "ResNet-50: Expander poor below 100 Gb/s" "poor" \
                "$(calc "$(at expander resnet50 "$least") / $(at topoopt resnet50 "$least")") at $least Gb/s, $(calc "$(at expander resnet50 100) / $(at topoopt resnet50 100)") at 100" \
                "$(over_bandwidths expander topoopt resnet50 1.1 99 10 25 40)" "slower by 10 % and more"
            ;;
        esac
    done
}
