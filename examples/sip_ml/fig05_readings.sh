# Other readings of Fig. 5's set-up, at 8 Tb/s; fig05.sh sources it: how many wavelengths the two fibres of SiP-Ring have, and
# Megatron in groups of 8, which stay inside of servers.
half=(resnet transformer_p1 transformer_p2)
ring_326=("network.design={name: sip-ring, servers: 1024, degree: 326, latency: 1 us}") # half of it is whole
for job in "${half[@]}"; do search "$job-half-1024-8192" "sipml/$job" "${ring_326[@]}" network.circuits.fibres=half; done
eight=(plan.sip_ml.model_parallel=8 "plan.memory=96 GB")
search megatron8-ocs "sipml/megatron" "$(ocs 1024 8192)" "${eight[@]}"
search megatron8-ring "sipml/megatron" "$(ring 1024 8192)" "${eight[@]}"
for out_of in 400 200; do
    search "megatron8-$out_of" sipml/megatron network.design.name=elect-cluster "network.design.server_bandwidth=$out_of Gb/s" "network.design.bandwidth=8192 Gb/s" "${eight[@]}"
done
search_all

echo
echo "Other readings, 8192 Gb/s: SiP-Ring with W wavelengths on each of two fibres, and with W / 2, over SiP-OCS"
csv_of=$out/fig05_readings.csv
echo "reading,job,over_sip_ocs" >"$csv_of"
for job in "${half[@]}"; do
    seconds=$(at "$job" "$ocs" 8192)
    full=$(fabric_over "$job" "$ring" "$ocs" 8192) lit=$(ratio "$(of "$job-half-1024-8192" accuracy_s)" "$seconds")
    printf '%-16s %9s %9s\n' "$job" "$full" "$lit"
    echo "SiP-Ring full,$job,$full" >>"$csv_of"
    echo "SiP-Ring half,$job,$lit" >>"$csv_of"
    known "SiP-Ring (half) over SiP-OCS $job" "$lit"
done
echo "Megatron over SiP-OCS, in groups of 16 and of 8: servers of 200, 400 Gb/s, SiP-Ring"
of_eight() { ratio "$(of "megatron8-$1" accuracy_s)" "$(of megatron8-ocs accuracy_s)"; }
row16="$(fabric_over megatron "$c200" "$ocs" 8192),$(fabric_over megatron "$c400" "$ocs" 8192),$(fabric_over megatron "$ring" "$ocs" 8192)"
row8="$(of_eight 200),$(of_eight 400),$(of_eight ring)"
{ echo "16,$row16"; echo "8,$row8"; } | awk -F, -v csv="$csv_of" '{
    printf "k = %-12s %9s %9s %9s\n", $1, $2, $3, $4
    print "200 Gb/s k=" $1 ",megatron," $2 "\n400 Gb/s k=" $1 ",megatron," $3 "\nSiP-Ring k=" $1 ",megatron," $4 >>csv }'
known "Megatron k = 8 200 Gb/s over SiP-OCS" "$(of_eight 200)"
known "Megatron k = 8 400 Gb/s over SiP-OCS" "$(of_eight 400)"
known "Megatron k = 8 SiP-Ring over SiP-OCS" "$(of_eight ring)"
adds "SiP-Ring with half of the wavelengths on each fibre, over SiP-OCS (the published simulator)" "$(for job in "${half[@]}"; do printf '%s %s, ' "$job" "$(ratio "$(of "$job-half-1024-8192" accuracy_s)" "$(at "$job" "$ocs" 8192)")"; done | sed 's/, $//')" \
    "in place of W on each, which is taken elsewhere here"
says "Megatron in groups of 8, inside of servers, 200 / 400 Gb/s over SiP-OCS" "9.1" "$(of_eight 200) / $(of_eight 400)" \
    "$({ echo "200 Gb/s $(within "$(of_eight 200)" 7.3 10.9)"; echo "400 Gb/s $(within "$(of_eight 400)" 7.3 10.9)"; } | list_of)" "most of the 9.1 is model parallelism that crosses servers; 12 bytes a parameter would fit into 8 GPUs of 32 GB, 16 do not"
