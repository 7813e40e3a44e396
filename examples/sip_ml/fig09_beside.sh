# What stands beside Fig. 9; fig09.sh sources it: delays towards zero, which demand circuits are set for, and how long
# SiP-Ring holds its wavelengths.
beside=$out/fig09_beside.csv
echo "what,bandwidth_gbps,value,iteration_ms,over_flat" >"$beside"

# beside_row WHAT GBPS VALUE MS [FLAT]
beside_row() { echo "$1,$2,$3,$4,$(ratio "$4" "$(flat_ms "$2")")" | tee -a "$beside" | awk -F, '{ printf "%-34s %9s %9s %10s %10s\n", $1, $2, $3, $4, $5 }'; }
over_flat_of() { awk -F, -v what="$1" -v b="$2" -v value="$3" '$1 == what && $2 == b && $3 == value { print $5 }' "$beside"; }

echo
printf '%-34s %9s %9s %10s %10s\n' "" "GPU, Gb/s" "" "ms" "over flat"
for b in 1024 8192; do
    beside_row "set once" "$b" once "$(once_ms "$b")"
    for d in 1000 100; do beside_row "SiP-OCS delay in ns; hold 5 x" "$b" "$d" "$(mean ocs "$b" "network.circuits.reconfiguration=$d ns")"; done
    beside_row "SiP-OCS delay 1 ns; hold 1 us" "$b" 1 "$(mean ocs "$b" "network.circuits.reconfiguration=1 ns" "network.circuits.hold=1 us")"
done
says "without delay SiP-OCS equals Elect-Flat of the same bandwidth" "equal" "$(for b in 1024 8192; do printf '%s over it at %s Gb/s with 100 ns, %s held 1 us with 1 ns, ' "$(over_flat_of "SiP-OCS delay in ns; hold 5 x" "$b" 100)" "$b" "$(over_flat_of "SiP-OCS delay 1 ns; hold 1 us" "$b" 1)"; done | sed 's/, $//')" \
    "$(for b in 1024 8192; do echo "$b $(within "$(over_flat_of "SiP-OCS delay 1 ns; hold 1 us" $b 1)" 0.9 1.1)"; done | list_of Gb/s)" "a sixth of the time is dark however short the delay is, each pair that ever talks keeps one of 16 circuits, and the others are set for what was offered, not for what comes"

for b in 1024 8192; do
    for d in 10 100; do
        for demand in window next total; do
            beside_row "SiP-OCS delay $d us; demand" "$b" "$demand" "$(mean ocs "$b" "network.circuits.reconfiguration=$d us" "network.circuits.demand=$demand")"
        done
    done
done
demands() { for demand in window next total; do printf '%s %s, ' "$demand" "$(over_flat_of "SiP-OCS delay $1 us; demand" "$2" "$demand")"; done | sed 's/, $//'; }
adds "circuits are set for the demand of the past window" "over Elect-Flat with 100 us: $(demands 100 1024) at 1024, $(demands 100 8192) at 8192 Gb/s" "'next' knows what the following period offers, 'total' is the iteration's"

holds=(25 50 100 200 400 800)
for b in 1024 8192; do
    for hold in "${holds[@]}"; do beside_row "SiP-Ring 25 us dark; hold in us" "$b" "$hold" "$(mean ring "$b" "network.circuits.hold=$hold us")"; done
done
for b in 1024 8192; do
    for demand in window next; do beside_row "SiP-Ring held 100 us; demand" "$b" "$demand" "$(mean ring "$b" network.circuits.hold="100 us" "network.circuits.demand=$demand")"; done
done
next_over() { ratio "$(over_flat_of "SiP-Ring held 100 us; demand" "$1" window)" "$(over_flat_of "SiP-Ring held 100 us; demand" "$1" next)"; }
says "the traffic of the past 100 us is a good estimate of that of the next (3.3)" "good" "SiP-Ring by the past takes $(next_over 1024) at 1024, $(next_over 8192) at 8192 Gb/s of the time by what is offered next" \
    "$(for b in 1024 8192; do echo "$b $(within "$(next_over $b)" 0.9 1.1)"; done | list_of Gb/s)" "within 10 %"
best_hold() { awk -F, -v b="$1" '$1 == "SiP-Ring 25 us dark; hold in us" && $2 == b && (best == "" || $4 < least) { best = $3; least = $4 } END { print best }' "$beside"; }
ring_row() { for hold in "${holds[@]}"; do printf '%s ' "$(over_flat_of "SiP-Ring 25 us dark; hold in us" "$1" "$hold")"; done | sed 's/ $//'; }
says "SiP-Ring is best held for 100 us, four times the delay" "100 us" "best of ${holds[*]} us: $(best_hold 1024) at 1024, $(best_hold 8192) at 8192 Gb/s; over Elect-Flat $(ring_row 1024); $(ring_row 8192)" \
    "$(for b in 1024 8192; do echo "$b $(within "$(best_hold $b)" 100 100)"; done | list_of Gb/s)" "longer periods are dark for less of the time, and windows of more of the iteration miss fewer bursts"
sed 1d "$beside" >"$work/beside"
while IFS=, read -r what b value _ over; do known "$what $b Gb/s $value" "$over"; done <"$work/beside"
