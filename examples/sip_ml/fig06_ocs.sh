# What Fig. 6 says of SiP-OCS; fig06.sh sources it.
for job in "${jobs[@]}"; do
    says "more bandwidth, more model parallelism on SiP-OCS: $job" "k = 1 at first, growing; Transformer 4, 8, 16 at 2, 6, 10 Tb/s" "$(row "$job" 6) at ${bandwidths[*]} Gb/s" \
        "$(grows "$job" 6)" "circuits are whole: what a group of k gets of 16 changes in steps"
done

# What another k costs, in percent of the best: K GBPS
for at in 8:6144 2:128 2:1024; do search "transformer_p2-k${at%:*}-ocs-${at#*:}" sipml/transformer_p2 "$(ocs 1024 "${at#*:}")" "plan.sip_ml.model_parallel=${at%:*}"; done
search_all
costs() { FORMAT=%.1f calc "100 * ($(of "transformer_p2-k$1-ocs-$2" accuracy_s) / $(of "transformer_p2-ocs-1024-$2" accuracy_s) - 1)"; }
found=
for at in 2048:4 6144:8 10240:16; do
    k=$(on_ocs transformer_p2 "${at%:*}")
    found="$found${found:+, }$k"
    echo "${at%:*} $(within "$k" "${at#*:}" "${at#*:}")" >>"$work/hits"
done
says "on SiP-OCS: Transformer, k = 4, 8, 16 at 2, 6, 10 Tb/s" "4, 8, 16" "P2 $found" "$(list_of Gb/s <"$work/hits")" \
    "at 6 Tb/s k = 8 takes $(costs 8 6144) % longer than the best: 7 peers and a ring share 16 circuits, in which 4 have more for each"
must "transformer_p2 on SiP-OCS: k at 2048 Gb/s" "$(on_ocs transformer_p2 2048)" 4 0
must "transformer_p2 on SiP-OCS: k at 10240 Gb/s" "$(on_ocs transformer_p2 10240)" 16 0
says "on SiP-OCS: Transformer has hardly any model parallelism up to 1 Tb/s" "1" "P2 $(row transformer_p2 6 | cut -d' ' -f1-3) at 128, 512, 1024 Gb/s" \
    "$(for b in 128 512 1024; do echo "$b $(within "$(on_ocs transformer_p2 $b)" 1 2)"; done | span Gb/s)" \
    "k of 2 at most; at 128 Gb/s gradients are nearly all of the time: k = 2 takes $(costs 2 128) % longer, as a ring of k = 4 carries half of its bytes; at 1024 Gb/s it takes $(costs 2 1024) % longer"
