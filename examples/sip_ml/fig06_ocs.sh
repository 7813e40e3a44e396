# What Fig. 6 says of SiP-OCS; fig06.sh sources it.
for job in "${jobs[@]}"; do
    falls=$(row "$job" 6 | awk '{ for (i = 2; i <= NF; i++) if ($i < $(i - 1)) { print "yes"; exit } print "no" }')
    says "more bandwidth, more model parallelism on SiP-OCS: $job" "k = 1 at first, growing; Transformer 4, 8, 16 at 2, 6, 10 Tb/s" "$(row "$job" 6) at ${bandwidths[*]} Gb/s" \
        "$([ "$falls" = no ] && echo yes || echo no)" \
        "$([ "$falls" = no ] || echo "circuits are whole: what a group of k gets of 16 changes in steps")"
done
hit=0 ocs_row=
for at in 2048:4 6144:8 10240:16; do
    k=$(on_ocs transformer_p2 "${at%:*}")
    ocs_row="$ocs_row${ocs_row:+, }$k"
    [ "$k" != "${at#*:}" ] || hit=$((hit + 1))
done
small=$(for b in 128 512 1024; do on_ocs transformer_p2 "$b"; done | sort -n | tail -1)
bound "transformer_p2 on SiP-OCS: most k up to 1024 Gb/s" "$small" most 2
says "on SiP-OCS: Transformer, k = 4, 8, 16 at 2, 6, 10 Tb/s" "4, 8, 16" "P2 $ocs_row, at most $small up to 1 Tb/s" "$([ "$hit" = 3 ] && echo yes || echo "$hit of 3")" "HOW"
