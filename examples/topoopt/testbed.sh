# The testbed of sections 6 and appendix I, sourced by its figures: 12 servers, each with an A100 and four interfaces of
# 25 Gb/s, against a switch of 100 Gb/s, or of 25 Gb/s, a server.
#
#   job MODEL NAME [OPTION...]       makes the task graph of a model and prints its file; $no_time: operators take none
#   on topoopt|100|25 TASKS          the time of an iteration there, in ms
#
# All of phi(12) = 4 permutations are laid: 1, 5 and, the other way round, 11, 7. Of an all-to-all each way to another server
# has one to three links. Taken as below, by a server's parity, every link carries five of its flows, no more, no less.
servers=12
topoopt=$work/testbed.yml
lay_topoopt() {
    awk -v n=$servers '
        function way(from, jumps,    j, i, k, at) {
            k = split(jumps, j, " ")
            printf "      - {from: %d, nodes: [%d", from, from
            at = from
            for (i = 1; i <= k; i++) { at = (at + j[i]) % n; printf ", %d", at }
            printf "], to: %d}\n", at
        }
        BEGIN {
            even = "7 7,1 1 1,11 5,5 1,1 7,7 1 1,5 5"
            odd = "7 7,11 5 11,5 11,7 11,1 7,11 11 11,5 5"
            print "network:\n  backend: flow\n  shares: maxmin\n  routing: table\n  graph:"
            print "    npus: " n "\n    fabric: \"circulant:1,5\"\n    bandwidth: 25 Gb/s\n    latency: 1 us\n    routes:"
            for (from = 0; from < n; from++) {
                ways = split(from % 2 == 0 ? even : odd, jumps, ",")
                for (i = 1; i <= ways; i++) way(from, jumps[i])
            }
        }' >"$topoopt"
}

lay_topoopt

# job MODEL NAME: operators take the roofline's time (a100.yml), or the shares of that in --compute TIME.
no_time=(--set compute.peak=1000000PFLOP/s --set memory.local.bandwidth=1000000000TB/s)
job() {
    local model=$1 file=$work/$2.otg
    shift 2
    "$orrery" model tasks "$model" --devices "$servers" --platform "$here/a100.yml" "$@" -o "$file" >/dev/null
    printf '%s' "$file"
}

on() {
    case $1 in
    topoopt) flows "$topoopt" --taskgraph "$2" ;;
    *) flows --taskgraph "$2" --fabric ideal-switch --link-bandwidth "$1Gb/s" ;;
    esac
}
