# Whether FILE 1, printed in a page, is FILE 2, what its command printed: exit status 0 or 1. A line
# `...` in the page stands for any number of lines. How many events a run takes is not promised, and
# times of the machine are not either.
#
# With mode=update it prints what the page should say instead: as many lines before the first `...` and
# behind the last one as there were; a part between two of them where a line begins with the word
# that the part began with. Exit status 1 where there is none.

function plain(line) {
    gsub(/[0-9]+ events/, "N events", line)
    sub(/[ \t]+$/, "", line)
    return line
}

# Whether lines first to last of the page are those from `from` on of the output
function same(first, last, from,    i) {
    if (from < 1 || from + last - first > printed) return 0
    for (i = first; i <= last; i++)
        if (plain(page[i]) != plain(output[from + i - first])) return 0
    return 1
}

function word(line,    f) {
    split(line, f, " ")
    return f[1]
}

# Where in the output, from `from` on, the part first to last stands, or should; 0: nowhere
function place(first, last, from,    i) {
    for (i = from; i <= printed; i++)
        if (mode == "update" ? word(output[i]) == word(page[first]) : same(first, last, i)) return i
    return 0
}

function part(first, last,    where, i) {
    if (first > last) return
    if (first == 1 && last == lines) {
        where = 1
        if (mode != "update" && printed != lines) { bad = 1; return }
        if (mode == "update") last = printed
    } else if (first == 1) where = 1
    else if (last == lines) where = printed - (last - first)
    else where = place(first, last, from)
    if (where < from || (mode != "update" && !same(first, last, where))) { bad = 1; return }
    for (i = where; i <= where + last - first && i <= printed; i++)
        if (mode == "update") print output[i]
    from = where + last - first + 1
}

NR == FNR { page[++lines] = $0; next }
{ output[++printed] = $0 }
END {
    from = first = 1
    for (line = 1; line <= lines && !bad; line++)
        if (page[line] ~ /^ *\.\.\.$/) {
            part(first, line - 1)
            if (mode == "update" && !bad) print page[line]
            first = line + 1
        }
    if (!bad) part(first, lines)
    exit bad
}
