#!/bin/bash
# Section V-A of ASTRA-sim 2.0 (ISPASS 2023): every statement, what it is here, and over which range of samples, chunks and
# contention it is reached, by the results of run.sh and by sweeps over these (*_range.yml).
#
#   usage: examples/wafer_vs_conventional/statements.sh OUTDIR    (after run.sh OUTDIR, which calls it)
here=$(cd "$(dirname "$0")" && pwd)
figure=fig9a
. "$here/../figures/common.sh"
. "$here/runs.sh"

for range in all_reduce dlrm fig9a fig9b; do
    (cd "$out" && "$orrery" sweep "$here/${range}_range.yml" -o "${range}_range" --restart --progress never >"$work/said" 2>&1) || {
        cat "$work/said" >&2
        exit 2
    }
    rm -f "$out/${range}_range.jsonl"
    rows_of "$out/${range}_range.csv" >"$work/${range}_range.csv"
done
{ strategies; groups; } >"$work/runs"

# swept FIGURE VALUE...: ms of the point whose axes have these values
swept() {
    local range=$1
    shift
    awk -F, -v values="$*" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { text = $2; for (i = 3; i < at["status"]; i++) text = text " " $i }
        text == values { if ($NF != "") printf "%s", $NF; else printf "%.6f", $at["wall_ps"] / 1e9; exit }' "$work/${range}_range.csv"
}
# t WORKLOAD PLATFORM SCHEDULER [COLUMN]: ms as run.sh has it
t() {
    if [ "$1" = all_reduce ]; then
        awk -F, -v p="$2" -v s="$3" '$1 == p && $2 == s { printf "%.5f", $3 / 1000; exit }' "$out/fig9a_allreduce.csv"
    else
        awk -F, -v w="$1" -v p="$2" -v s="$3" -v at="${4:-4}" '$1 == p && $2 == w && $3 == s { print $at; exit }' "$out/fig9a.csv"
    fi
}
ran() { awk -v n="$1" -v p="$2" -v what="$3" '$1 == n && $2 == p && $3 == what { print $4; exit }' "$work/runs"; }
name() {
    case $1 in
    all_reduce) echo "the all-reduce" ;;
    dlrm) echo DLRM ;;
    gpt3*) echo GPT-3 ;;
    transformer_1t) echo Transformer-1T ;;
    w_2d) echo W-2D ;;
    conv_3d) echo Conv-3D ;;
    conv_4d) echo Conv-4D ;;
    esac
}
wafer_of() { case $1 in w_2d) echo w_1d_500 ;; conv_3d) echo w_1d_350 ;; conv_4d) echo w_1d_600 ;; esac; }
r() { FORMAT=%.3f calc "$1 / $2"; }
over() { r "$(t "$1" "$2" "$3")" "$(t "$1" "$(wafer_of "$2")" baseline)"; }
work_loads="all_reduce dlrm gpt3 transformer_1t" several="w_2d conv_3d conv_4d"
file_of() { case $1 in gpt3) echo gpt3_175b 16 ;; *) echo transformer_1t 128 ;; esac; }

# Samples a rank and contention of the sweeps of training
conditions() {
    local samples contention
    for samples in 1 2; do
        for contention in senders links; do echo "$samples $contention"; done
    done
}
named() { echo "$1 sample$([ "$1" = 1 ] || echo s) a rank (contention: $2)"; }

# ---- Fig. 9a ----

first=0 ahead=0
for w in $work_loads; do
    for how in baseline themis; do
        best=w_1d_350
        for p in w_1d_500 w_1d_600 $several; do [ "$(holds "$(t $w $p $how) < $(t $w $best $how)")" = no ] || best=$p; done
        [ "$best" != w_1d_600 ] || first=$((first + 1))
        for p in $several; do [ "$(holds "$(over $w $p $how) > 1")" = no ] || ahead=$((ahead + 1)); done
    done
done
says "W-1D is the best overall" "yes" "W-1D-600 is the fastest of the six in $first of 8 (four workloads, with and without Themis); with as much bandwidth W-1D is ahead in $ahead of 24" \
    "$(holds "$first == 8 && $ahead == 24")" "as run.sh has it: 64 chunks, one sample a rank"
for w in all_reduce dlrm; do
    conv=$(t $w conv_4d baseline) wafer=$(t $w w_1d_350 baseline)
    if [ $w = dlrm ]; then
        reached=$(for n in 1 2 8 32 128 512; do echo "$n $(holds "$(swept dlrm conv_4d $((512 * n)) 64 links) < $(swept dlrm w_1d_350 $((512 * n)) 64 links)")"; done | span "samples an NPU")
    else
        reached=$(for n in 16 64 256; do echo "$n $(holds "$(swept all_reduce conv_4d $n links) < $(swept all_reduce w_1d_350 $n links)")"; done | span chunks)
    fi
    says "Conv-4D (600 GB/s an NPU) is faster than W-1D-350: $(name $w)" "yes" "$(r "$conv" 1) and $(r "$wafer" 1) ms without Themis" \
        "$reached" "over the range with Themis; an all-to-all sends nearly all of its bytes on every dimension, of larger batches most"
done
for w in gpt3 transformer_1t; do
    read -r model ranks <<<"$(file_of $w)"
    says "Conv-4D (600 GB/s an NPU) is faster than W-1D-350: $(name $w)" "yes" "$(r "$(t $w conv_4d baseline)" 1) and $(r "$(t $w w_1d_350 baseline)" 1) ms without Themis" \
        "$(conditions | while read -r n c; do echo "$(named "$n" "$c") $(holds "$(swept fig9a conv_4d "$model" "$ranks" "$n" "$c") < $(swept fig9a w_1d_350 "$model" "$ranks" "$n" "$c")")"; done | list_of)" \
        "one sample a rank is our choice, the paper gives no batch; with layers computed again it is reached too"
done
same=$(for w in 350 500 600; do within "$(calc "$(lone w_1d_$w --set system.scheduler=themis) - $(t all_reduce w_1d_$w baseline)")" -0.00001 0.00001; done | all_of)
says "Themis gives W-1D nothing" "yes" "350, 500 and 600 GB/s take what they take without: one dimension leaves no order to choose" "$same" ""
rate() { for p in $several; do printf '%s %.0f %%, ' "$(name "$p")" "$(calc "100 / $(over all_reduce "$p" "$1")")"; done | sed 's/, $//'; }
says "Pipelining bubbles and unbalanced dimensions waste bandwidth; Themis comes near to using all of it" "yes" \
    "the all-reduce reaches, of the rate of W-1D with as much bandwidth, $(rate baseline) without and $(rate themis) with Themis" \
    "$(for p in $several; do echo "$(name $p) $(holds "$(over all_reduce $p baseline) > 1.25 && $(over all_reduce $p themis) < 1.1")"; done | list_of)" "64 chunks"
why_gpt3="what is exposed is nearly all of its model-parallel groups ($(for p in $several; do printf '%s %.0f of %.0f ms, ' "$(name $p)" \
    "$(calc "$(ran alone $p -) - $(t gpt3 $p baseline 5)")" "$(t gpt3 $p baseline 6)"; done | sed 's/, $//')), which are in one dimension, or on Conv-4D in two whose loads are nearly equal: nothing to balance. The paper has no number, and goes on with the all-reduce and DLRM"
why_transformer_1t="on Conv-3D and Conv-4D its data-parallel groups are in the last dimension alone, where there is no order to choose, and their all-reduces outlast the backward pass"
for w in $work_loads; do
    gain() { r "$(t $w "$1" baseline)" "$(t $w "$1" themis)"; }
    why=why_$w
    says "With more dimensions there is much to gain by Themis: $(name $w)" "yes" "$(for p in $several; do printf '%s %s, ' "$(name $p)" "$(gain $p)"; done | sed 's/, $//') times as fast" \
        "$(for p in $several; do echo "$(name $p) $(holds "$(gain $p) >= 1.25")"; done | list_of)" "1.25 times as fast and more${!why:+; ${!why}}"
done

# identical RANGE WHERE: Conv-3D and Conv-4D within 4 % of the wafer
ar() { r "$(swept all_reduce "$1" "$2" "${3:-links}")" "$(swept all_reduce "$(wafer_of "$1")" "$2" "${3:-links}")"; }
dlrm() { r "$(swept dlrm "$1" $((512 * $2)) "$3" "${4:-links}")" "$(swept dlrm "$(wafer_of "$1")" $((512 * $2)) "$3" "${4:-links}")"; }
says "With Themis conventional systems are identical to W-1D with as much bandwidth: the all-reduce" "identical" \
    "Conv-3D $(ar conv_3d 64), Conv-4D $(ar conv_4d 64) times W-1D with 64 chunks, $(ar conv_3d 16) and $(ar conv_4d 16) with 16, $(ar conv_3d 256) and $(ar conv_4d 256) with 256" \
    "$(for n in 16 64 256; do echo "$n $(holds "$(ar conv_3d $n) <= 1.04 && $(ar conv_4d $n) <= 1.04")"; done | span "chunks, whoever shares a link")" \
    "within 4 %; what is left is their pipeline filling and draining"
dlrm_points() {
    for chunks in 16 64 256; do
        for n in 1 2 8 32 128 512; do
            echo "$n sample$([ $n = 1 ] || echo s) an NPU with $chunks chunks $({ for c in senders links; do
                holds "$(dlrm conv_3d $n $chunks $c) <= 1.04 && $(dlrm conv_4d $n $chunks $c) <= 1.04"; done; } | all_of)"
        done
    done
}
dlrm_row() { for n in 1 8 128 512; do printf '%s and %s with %s, ' "$(dlrm conv_3d $n 64)" "$(dlrm conv_4d $n 64)" $n; done | sed 's/, $//'; }
says "With Themis conventional systems are identical to W-1D with as much bandwidth: DLRM" "identical" \
    "Conv-3D and Conv-4D $(dlrm_row) samples an NPU times W-1D (64 chunks)" "$(dlrm_points | list_of)" \
    "within 4 %, whoever shares a link; more samples are more all-to-all bytes, and an all-to-all sends nearly all of them on every dimension, where an all-reduce sends a share of them on the next"
for w in gpt3 transformer_1t; do
    read -r model ranks <<<"$(file_of $w)"
    trained() { r "$(swept fig9a "$1" "$model" "$ranks" "$2" "$3")" "$(swept fig9a "$(wafer_of "$1")" "$model" "$ranks" "$2" "$3")"; }
    says "Also with Themis wafers train faster than conventional systems: $(name $w)" "yes" \
        "Conv-3D $(over $w conv_3d themis), Conv-4D $(over $w conv_4d themis) times W-1D; with two samples a rank $(trained conv_3d 2 links) and $(trained conv_4d 2 links)" \
        "$(conditions | while read -r n c; do echo "$(named "$n" "$c") $(holds "$(trained conv_3d "$n" "$c") > 1.01 && $(trained conv_4d "$n" "$c") > 1.01")"; done | list_of)" "by more than 1 %"
done
more() { r "$(t "$1" "$2" themis 6)" "$(t "$1" "$(wafer_of "$2")" baseline 6)"; }
says "The reason: model- and data-parallel groups lie in some dimensions and use only their bandwidth" "yes" \
    "exposed communication is $(more gpt3 conv_3d) and $(more gpt3 conv_4d) (GPT-3), $(more transformer_1t conv_3d) and $(more transformer_1t conv_4d) times (Transformer-1T) that of W-1D with as much bandwidth" \
    "$(for w in gpt3 transformer_1t; do echo "$(name $w) $(holds "$(more $w conv_3d) > 1.25 && $(more $w conv_4d) > 1.25")"; done | list_of)" \
    "of Transformer-1T on Conv-3D model-parallel groups have 300, data-parallel ones 50 of 350 GB/s"
parallel() { r "$(ran "$1" "$2" "$3")" "$(ran "$1" "$(wafer_of "$2")" "$3")"; }
matched() { echo "$(name "$1") with $2 model-parallel ranks $(holds "$(parallel "$1" conv_3d "$2") < 1.02 && $(parallel "$1" conv_4d "$2") < 1.02")"; }
says "With appropriate scheduling and parallelization conventional systems can match wafers (I; in V-A: strategies matter)" "yes" \
    "512 samples of GPT-3: Conv-3D $(parallel gpt3_175b conv_3d 16) and Conv-4D $(parallel gpt3_175b conv_4d 16) times W-1D with the 16 model-parallel ranks of Table III, $(parallel gpt3_175b conv_3d 2) and $(parallel gpt3_175b conv_4d 2) with 2; 16 samples of Transformer-1T: $(parallel transformer_1t conv_3d 128) and $(parallel transformer_1t conv_4d 128) with 128, $(parallel transformer_1t conv_3d 32) and $(parallel transformer_1t conv_4d 32) with 32" \
    "$({ matched gpt3_175b 16; matched gpt3_175b 2; matched transformer_1t 128; matched transformer_1t 32; } | list_of)" \
    "messages share the ports of their senders, as in Fig. 9(b); an NPU then has 8 and 4 times the weights, and the paper gives no capacity"

# ---- Table IV and Fig. 9b ----

figure=table4
of() { awk -F, -v shape="$1" -v what="$2" -v at="${3:-5}" '$1 == shape && $3 == what { print $at + 0; exit }' "$out/table4.csv"; }
read -r equal sizes worst <<<"$(awk -F, 'NR > 1 && $3 != "time_us" { sizes++; equal += $4 + 0 == $5 + 0 }
    $3 == "time_us" { d = 100 * ($5 / $4 - 1); if (d < 0) d = -d; if (d > worst) worst = d } END { printf "%d %d %.2f", equal, sizes, worst }' "$out/table4.csv")"
us() { of "$1" time_us; }
says "What an NPU sends on each dimension for an all-reduce of 1 GB" "28 sizes" "$equal of $sizes sizes equal, to the last digit" "$(holds "$equal == $sizes")" ""
says "The all-reduce takes on 2_8_8_4, 4_8_8_4, 8_8_8_4, 16_8_8_4" "4392.85, 2212.60, 1753.48, 1879.17 us" \
    "$(us 2_8_8_4), $(us 4_8_8_4), $(us 8_8_8_4), $(us 16_8_8_4) us" "$(holds "$worst < 0.25")" "at most $worst % off"
says "Scale-out to 4096 NPUs sends more on dimension 4, to marginal effect: the time is the same" "12 to 15.5 MiB" \
    "$(of 2_8_8_4 dim4_MiB) to $(of 2_8_8_32 dim4_MiB) MiB; $(us 2_8_8_4) and $(us 2_8_8_32) us" \
    "$(holds "$(us 2_8_8_4) == $(us 2_8_8_32) && $(of 2_8_8_32 dim4_MiB) > $(of 2_8_8_4 dim4_MiB)")" ""
says "A larger wafer sends more on dimension 1, and far less on the others" "1024 to 1920 MiB" \
    "$(of 2_8_8_4 dim1_MiB) to $(of 16_8_8_4 dim1_MiB) MiB; $(of 2_8_8_4 dim2_MiB), $(of 2_8_8_4 dim3_MiB), $(of 2_8_8_4 dim4_MiB) to $(of 16_8_8_4 dim2_MiB), $(of 16_8_8_4 dim3_MiB), $(of 16_8_8_4 dim4_MiB) MiB" \
    "$(holds "$(of 16_8_8_4 dim1_MiB) > $(of 2_8_8_4 dim1_MiB) && 8 * $(of 16_8_8_4 dim2_MiB) <= $(of 2_8_8_4 dim2_MiB)")" ""
up=$(FORMAT=%.2f calc "$(us 2_8_8_16) / $(us 8_8_8_4)")
says "So it takes less time, up to 2.51 times less than scale-out" "2.51" "$up times" "$(within "$up" 2.505 2.515)" ""
says "Once the wafer is the bottleneck, the time grows again (16_8_8_4)" "1753 to 1879 us" "$(us 8_8_8_4), then $(us 16_8_8_4) us, all of which dimension 1 takes" \
    "$(holds "$(us 16_8_8_4) > $(us 8_8_8_4)")" ""

figure=fig9b
for w in gpt3 transformer_1t; do
    read -r model ranks <<<"$(file_of $w)"
    b() { FORMAT=%.1f calc "$(swept fig9b "$1" "$model" "$ranks" "$2" "$3") * 1"; }
    # trend CONDITION: where it holds; PLATFORM's time is $a, $b, ... of the platforms given
    trend() {
        local condition=$1 n c
        shift
        conditions | while read -r n c; do
            local filled=$condition
            for p in base_512 conv_4096 w_1024 w_2048 w_4096; do filled=${filled//$p/$(b $p "$n" "$c")}; done
            echo "$(named "$n" "$c") $(holds "$filled")"
        done | list_of
    }
    row() { conditions | while read -r n c; do
        printf '%s' "$(named "$n" "$c"): "
        for p; do printf '%s ' "$(b "$p" "$n" "$c")"; done
        printf 'ms; '
    done | sed 's/; $//'; }
    says "The same trend in training: scale-out to 4096 NPUs leaves the step as it is: $(name $w)" "no effect" "512 and 4096 NPUs, $(row base_512 conv_4096)" \
        "$(trend "conv_4096 < 1.01 * base_512")" "data-parallel groups are in dimension 4 alone: what covers their all-reduces in the backward pass of one sample is too short"
    says "... a larger wafer shortens it: $(name $w)" "yes" "512, 1024 and 2048 NPUs, $(row base_512 w_1024 w_2048)" "$(trend "w_1024 < base_512 && w_2048 < w_1024")" \
        "messages that share every link, the default, meet where groups are parts of rings; the paper's share the ports of their senders alone"
    says "... and 16_8_8_4 is slower again: $(name $w)" "yes" "2048 and 4096 NPUs, $(row w_2048 w_4096)" "$(trend "w_4096 > w_2048")" \
        "as above: groups of the whole dimension of 16 do not pass others' NPUs"
done
finish
