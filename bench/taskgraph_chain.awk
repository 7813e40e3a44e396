# A chain of N operators under K-way model times L-way data parallelism, as a task graph (JSON, with
# `copies`): each operator in K parts, one on every NPU of a group; every part sends its output to all
# other NPUs of the group, and gets as much back; the weights of a part are reduced across the groups.
#   awk -v n=56 -v k=8 -v l=128 -f bench/taskgraph_chain.awk >chain.json
function forward(i, p) { return i * k + p }
function backward(i, p) { return n * k + i * k + p }
function reduce(i, p) { return 2 * n * k + i * k + p }
# Of operator i's output from p to q, and of its gradient back from q to p; i from 0 to n - 2.
function sent(i, p, q) { return 3 * n * k + (i * k + p) * (k - 1) + (q < p ? q : q - 1) }
function back(i, p, q) { return sent(n - 1, 0, 1) + (i * k + q) * (k - 1) + (p < q ? p : p - 1) }
function put(text) { printf "%s    {%s}", first++ ? ",\n" : "", text }
BEGIN {
    printf "{\"format\": \"orrery task graph\", \"version\": 1, \"npus\": %d, \"copies\": %d, \"tasks\": [\n", k * l, l
    for (i = 0; i < n; i++) for (p = 0; p < k; p++) {
        next_ = i + 1 < n ? forward(i + 1, p) : backward(i, p)
        for (q = 0; q < k && i + 1 < n; q++) if (q != p) next_ = next_ ", " sent(i, p, q)
        put(sprintf("\"role\": \"compute\", \"pass\": \"forward\", \"name\": \"op%d\", \"npu\": %d, \"time\": \"%d us\", \"next\": [%s]", i, p, 100 + 7 * (i % 5), next_))
    }
    for (i = 0; i < n; i++) for (p = 0; p < k; p++) {
        next_ = (i > 0 ? backward(i - 1, p) ", " : "") reduce(i, p)
        for (q = 0; q < k && i > 0; q++) if (q != p) next_ = next_ ", " back(i - 1, q, p)
        put(sprintf("\"role\": \"compute\", \"pass\": \"backward\", \"name\": \"op%d\", \"npu\": %d, \"time\": \"%d us\", \"next\": [%s]", i, p, 200 + 11 * (i % 7), next_))
    }
    for (i = 0; i < n; i++) for (p = 0; p < k; p++)
        put(sprintf("\"role\": \"all-reduce\", \"name\": \"op%d\", \"members\": [%d], \"across\": true, \"bytes\": \"%d B\"", i, p, 1000000 + 30000 * (i % 3)))
    for (i = 0; i + 1 < n; i++) for (p = 0; p < k; p++) for (q = 0; q < k; q++) if (q != p)
        put(sprintf("\"role\": \"transfer\", \"name\": \"op%d\", \"from\": %d, \"to\": %d, \"bytes\": \"%d B\", \"next\": [%d]", i, p, q, 65536 + 1000 * ((p + q) % 3), forward(i + 1, q)))
    for (i = 0; i + 1 < n; i++) for (q = 0; q < k; q++) for (p = 0; p < k; p++) if (q != p)
        put(sprintf("\"role\": \"transfer\", \"name\": \"op%d\", \"from\": %d, \"to\": %d, \"bytes\": \"%d B\", \"next\": [%d]", i, q, p, 65536 + 1000 * ((p + q) % 3), backward(i, p)))
    print "\n  ]}"
}
