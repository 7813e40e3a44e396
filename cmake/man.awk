# Turns the --help of a command into the first sections of a manual page. Given: title, summary, version.
#
#   usage: ...                SYNOPSIS
#   Heading:                  a subsection
#     --option X   text       an item; further lines of its text are indented more
#   Exit status: ...          EXIT STATUS
#   anything else             a paragraph, or as it is where it is indented

function roff(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    if (text ~ /^[.']/)
        text = "\\&" text
    return text
}

function section(name) {
    if (current != name)
        print ".SH " name
    current = name
}

# The columns of an item are parted by two blanks; an option's value may touch its text.
function item(line,    head, text) {
    head = line
    text = ""
    if (match(line, /  +/)) {
        head = substr(line, 1, RSTART - 1)
        text = substr(line, RSTART + RLENGTH)
    } else if (match(line, /^--[a-z-]+( [A-Z]+|\[=[^] ]*\]) /)) {
        head = substr(line, 1, RLENGTH - 1)
        text = substr(line, RLENGTH + 1)
    }
    print ".TP"
    print ".B " roff(head)
    if (text != "")
        print roff(text)
}

BEGIN {
    name = toupper(title)
    printf ".TH %s 1 \"\" \"Orrery %s\" \"Orrery\"\n", roff(name), version
    print ".SH NAME"
    print roff(title) " \\- " roff(summary)
}

/^usage: / {
    section("SYNOPSIS")
    usage = 1
    print ".nf"
    print roff(substr($0, 8))
    next
}

usage && /^       / {
    print roff(substr($0, 8))
    next
}

usage {
    usage = 0
    print ".fi"
    section("DESCRIPTION")
}

/^[Ee]xit status: / {
    section("EXIT STATUS")
    sub(/^[Ee]xit status: /, "")
    status = 1
}

status {
    sub(/^ +/, "")
    print roff($0)
    next
}

/^$/ {
    blank = 1
    in_item = 0
    next
}

current == "" { # above the usage
    next
}

/^[^ ].*:$/ {
    sub(/:$/, "")
    print ".SS " roff($0)
    blank = 0
    next
}

/^  [^ ]/ && (/^  -/ || /^  [^ ]+   *[^ ]/ && !/^  # /) {
    item(substr($0, 3))
    in_item = 1
    blank = 0
    next
}

in_item && /^   / {
    sub(/^ +/, "")
    print roff($0)
    next
}

/^ / {
    print ".PP"
    print ".RS"
    print ".nf"
    print roff(substr($0, 3))
    print ".fi"
    print ".RE"
    in_item = blank = 0
    next
}

{
    if (blank || in_item)
        print ".PP"
    blank = in_item = 0
    print roff($0)
}
