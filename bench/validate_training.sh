# Training iterations for bench/validate.sh, which reads this file: measured steps of real jobs beside the model's,
# with compute fitted to some of them (orrery fit compute). Uses its $root, $orrery, $data, $work and $common.
# shellcheck shell=sh disable=SC2154

iterations=$root/bench/iterations

# rows NAME SET FILE [GPU]: measured steps as key paths, $work/NAME.csv
rows() {
    awk -v set="$2" -v gpu="${4:-}" -f "$iterations/common.awk" -f "$iterations/$(sets_in "$2").awk" "$data/$3.csv" \
        >"$work/$1.csv"
}

sets_in() {
    case $1 in
    fsdp) echo fsdp ;;
    *) echo megatron ;;
    esac
}

# every PARITY NAME: every second row, those at 0 (the first of them) or at 1
every() {
    awk -v parity="$1" 'NR == 1 || NR % 2 == parity' "$work/$2.csv" >"$work/$2_$1.csv"
}

# kept NAME KEEP WHERE: rows of a set by a note, as in '#gpus' 8
kept() {
    awk -F, -v heading="$3" -v is="$4" '
        NR == 1 { for (c = 1; c <= NF; c++) if ($c == heading) at = c; print; next }
        is == "more" ? $at + 0 > 8 : $at == is' "$work/$1.csv" >"$work/$2.csv"
}

measured_iterations() {
    rows vtrain vtrain vtrain_multi
    rows sc21 sc21 e2e_megatron_sc21
    rows korthikanti korthikanti e2e_korthikanti_tab5
    rows megatron_2020 megatron_2020 e2e_megatron_2020_iter
    rows bloom bloom e2e_bloom_jeanzay
    rows megatron_h100 megatron_h100 e2e_megatron_h100
    for gpu in a100 h100; do
        rows fsdp_$gpu fsdp e2e_llmfoundry_fsdp $gpu
        kept fsdp_$gpu fsdp_${gpu}_node '#gpus' 8
        kept fsdp_$gpu fsdp_${gpu}_nodes '#gpus' more
    done
    kept bloom bloom_aligned '#aligned' yes
    for name in vtrain sc21 fsdp_a100_node fsdp_h100_node megatron_h100 bloom_aligned; do
        every 0 $name
        every 1 $name
    done
}

# learn FIT PLATFORM WORKLOAD 'NAMES' OPTION...: fitted to these rows, $work/FIT.yml
learn() {
    fit=$1 on=$2 workload=$3 names=$4
    shift 4
    set -- --platform "$on" --workload "$iterations/$workload.yml" -o "$work/$fit.yml" \
        --report "$work/$fit.json" "$@"
    for name in $names; do
        set -- "$@" "$work/$name.csv"
    done
    "$orrery" fit compute "$@" >"$work/said" 2>"$work/warned" || {
        cat "$work/said" "$work/warned" >&2
        exit 1
    }
    steps_of "$fit" fitted "$work/$fit.json"
}

# examine FIT WORKLOAD NAME [OPTION]...: a set's rows by what was fitted
examine() {
    fit=$1 workload=$2 name=$3
    shift 3
    "$orrery" fit compute "$work/$name.csv" --platform "$work/$fit.yml" --workload "$iterations/$workload.yml" \
        --keep --report "$work/report.json" "$@" >"$work/said" 2>"$work/warned" || {
        cat "$work/said" "$work/warned" >&2
        exit 1
    }
    steps_of "$fit" "$name" "$work/report.json"
}

# A report as lines, with tabs: "step" FIT SET ROW MEASURED MODEL ERROR, and "value" FIT NAME VALUE UNIT SPREAD
# IDENTIFIED BOUND.
steps_of() {
    awk -v fit="$1" -v set="$2" '
        function text() { sub(/^ *"[a-z_0-9]*": /, ""); sub(/,$/, ""); gsub(/"/, ""); return $0 }
        BEGIN { OFS = "\t" }
        /^  "parameters": \[/ { list = "value" }
        /^  "(fitted|held_out)": \[/ { list = "" }
        /^  "rows": \[/ { list = "step" }
        /^    \{/ { split("", of) }
        /^      "/ { key = $1; gsub(/[":]/, "", key); of[key] = text() }
        /^    \}/ && list == "step" { print "step", fit, set, of["name"], of["measured_s"], of["model_s"], of["error"] }
        /^    \}/ && list == "value" && set == "fitted" {
            print "value", fit, of["name"], of["value"], of["unit"], of["spread"], of["identified"], of["at_bound"]
        }' "$3" >>"$work/steps"
}
