# Reads a CSV of measured training steps, one set of them (-v set=NAME), and prints it as `orrery fit
# compute` reads it: key paths and time_s. Used by bench/validate.sh.

# ---- CSV ----

# Splits a line with quotes into field[1..]; returns how many.
function split_csv(line, field,    n, at, c, quoted, text) {
    n = 0
    text = ""
    quoted = 0
    for (at = 1; at <= length(line); at++) {
        c = substr(line, at, 1)
        if (c == "\"") quoted = !quoted
        else if (c == "," && !quoted) {
            field[++n] = text
            text = ""
        } else text = text c
    }
    field[++n] = text
    return n
}

# The field of this row under a heading.
function at(heading) {
    if (!(heading in column)) {
        print "no column " heading " in " FILENAME > "/dev/stderr"
        exit 1
    }
    return value[column[heading]]
}

# ---- what rows are made of ----

# Keys in the order in which they were first given.
function put(key, text) {
    if (!(key in place)) {
        place[key] = ++keys
        key_at[keys] = key
    }
    cell[rows, key] = text
}

function begin_row(name) {
    rows++
    put("name", name)
}

function drop_row() { rows-- }

# Nodes of 8 GPUs, of which a small job has a part; of 4, 2 or 1 where 8 do not divide the GPUs.
function put_npus(npus,    node) {
    npus += 0
    node = npus < 8 ? npus : 8
    while (node > 1 && npus % node != 0) node /= 2
    put("network.topology", "Switch(" node ")_Switch(" npus / node ")")
}

function put_model(layers, hidden, heads, sequence) {
    put("workload.transformer.layers", layers)
    put("workload.transformer.hidden", hidden)
    put("workload.transformer.heads", heads)
    put("workload.transformer.sequence", sequence)
}

function put_parallel(tensor, pipeline) {
    put("workload.parallel.tensor", tensor)
    put("workload.parallel.pipeline", pipeline)
}

# Layers that stages do not divide are spread.
function put_uneven(layers, stages) {
    if (layers % stages != 0) put("workload.parallel.layers_per_stage", "uneven")
}

function put_batch(batch, micro) {
    put("workload.training.batch", batch)
    put("workload.training.micro_batch", micro)
}

# Operations of a step of a model with MLPs 4 times as wide, without recomputation (Narayanan et al.
# 2021, equation 3, over 96 / 72).
function model_flops(batch, sequence, layers, hidden, vocabulary) {
    return 72 * batch * sequence * layers * hidden * hidden * \
           (1 + sequence / (6 * hidden) + vocabulary / (12 * layers * hidden))
}

function as_field(text) { return (index(text, ",") > 0) ? "\"" text "\"" : text }

END {
    if (rows == 0) exit
    for (k = 1; k <= keys; k++) printf "%s%s", (k > 1 ? "," : ""), key_at[k]
    print ""
    for (r = 1; r <= rows; r++) {
        for (k = 1; k <= keys; k++) printf "%s%s", (k > 1 ? "," : ""), as_field(cell[r, key_at[k]])
        print ""
    }
}

NR == 1 {
    sub(/\r$/, "")
    count = split_csv($0, heading)
    for (c = 1; c <= count; c++) column[heading[c]] = c
    next
}

{
    sub(/\r$/, "")
    split_csv($0, value)
}
