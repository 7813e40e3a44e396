# For each header given, a line: the functions that it declares or defines, the headers of the project that
# it brings (those of core/ are not counted), its path.
FNR == 1 {
    file = FILENAME
    depth = 0
    comment = more = 0
    text = ""
}

/^[ \t]*#/ {
    if (match($0, /include "[^"]*"/))
        brings[file] = brings[file] " " substr($0, RSTART + 9, RLENGTH - 10)
    more = /\\$/
    next
}

more {
    more = /\\$/
    next
}

{
    line = $0
    if (comment) {
        if (line !~ /\*\//)
            next
        sub(/^.*\*\//, "", line)
        comment = 0
    }
    while (match(line, /\/\*/)) {
        rest = substr(line, RSTART + 2)
        line = substr(line, 1, RSTART - 1)
        if (!match(rest, /\*\//)) {
            comment = 1
            break
        }
        line = line substr(rest, RSTART + 2)
    }
    count_line(line " ")
}

# Text at depth 0 up to ";" or "{" is a function if it has a parenthesis and sets nothing.
function count_line(line,    i, c) {
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (depth == 0 && (c == ";" || c == "{")) {
            if (text ~ /\(/ && text !~ /=/ && text !~ /^ *typedef/)
                functions[file]++
            text = ""
        } else if (depth == 0)
            text = text c
        depth += (c == "{") - (c == "}")
        if (c == "}" && depth == 0)
            text = ""
    }
}

function walk(from,    n, i, to) {
    n = split(brings[from], to, " ")
    for (i = 1; i <= n; i++) {
        if (to[i] in met)
            continue
        met[to[i]] = 1
        brought += to[i] !~ /^core\//
        walk(to[i])
    }
}

END {
    for (a = 1; a < ARGC; a++) {
        split("", met)
        brought = 0
        walk(ARGV[a])
        print functions[ARGV[a]] + 0, brought, ARGV[a]
    }
}
