# What Figs. 22 and 24 share, behind traffic.sh.
#
#   trees TITLE MODEL OPTION...    heatmaps with double binary trees of jumps 1, 3 and 7, and what is equal of them

trees() {
    local title=$1 model=$2 p told line reduced sum="" most=""
    shift 2
    echo "$title"
    heatmap "${figure}_none" "$model" "$@" >/dev/null
    local alone
    alone=$(field "$(balance "${figure}_none")" 3)
    echo "jump,pairs,most_of_a_pair_bytes,all_bytes,spread" >"$out/$figure.csv"
    for p in 1 3 7; do
        told=$(heatmap "${figure}_$p" "$model" "$@" --trees "$p")
        line=$(balance "${figure}_$p")
        echo "$p,$line" >>"$out/$figure.csv"
        reduced=$(sed -n 's/^all-reduces .*(\([0-9]*\) bytes).*/\1/p' <<<"$told")
        # Each of 15 servers sends half of it up and gets half of it, in both trees.
        must "jump $p: bytes that trees add, 2 x 15 of what is reduced" \
            "$(calc "$(field "$line" 3) - $alone")" "$(calc "30 * $reduced")" 1000
        holds "$(field "$line" 3) == ${sum:-$(field "$line" 3)}" >>"$work/equal"
        sum=${sum:-$(field "$line" 3)}
        must "jump $p: all bytes, as jump 1" "$(field "$line" 3)" "$sum" 0
        # Two tables' servers may be neighbours in a tree, or not.
        most=${most:-$(field "$line" 2)}
        must "jump $p: the most of a pair, GB, as jump 1" "$(calc "$(field "$line" 2) / 1e9")" "$(calc "$most / 1e9")" 0.07
    done
    table "$figure"
    says "other servers in the places of the trees: as many bytes, between other pairs" "yes" \
        "$(FORMAT=%.1f calc "$sum / 1e9") GB with each; the most of a pair $(FORMAT=%.2f calc "$most / 1e9") GB (jump 1)" "$(all_of <"$work/equal")" \
        "jumps 3 and 7: the paper does not say which"
}
