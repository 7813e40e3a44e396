# Reads a page of Markdown for test_printed_examples.sh, which says what the marks mean.
#
# With mode=find it writes, into `work`, files of each block N: N.command, N.expected, N.needs, N.exits,
# N.shows, N.line, as far as it has them; and on standard output one line "KIND N" for each: `prints` for
# output with its command, `runs` for commands without output, `excused` for those that say why, `shows` for a part of a file, `lacks` for
# output whose command is not said. With mode=replace it prints the page with N.new in place of each
# block N that has one.

function forget() { command = needs = exits = shows = "" }

function mark(line, name) {
    sub("^<!-- " name ": *", "", line)
    sub(/ *-->.*$/, "", line)
    return line
}

function file(name, text) {
    if (text == "") return
    printf "%s\n", text >(work "/" n "." name)
    close(work "/" n "." name)
}

# Where the commands of a block end that no output follows, they are a block of their own.
function flush_commands() {
    if (commands != "" && !used) {
        n = commands_at
        if (mode == "find") {
            file("command", commands)
            file("needs", commands_needs)
            file("line", commands_line)
            print excused == "" ? "runs" : "excused", n
        }
    }
    commands = ""
    used = 0
}

function end_block() {
    n = at
    if (language == "sh") {
        flush_commands()
        commands = body
        commands_at = at
        commands_line = started
        commands_needs = needs
        excused = unprinted
        unprinted = ""
        needs = ""
        return
    }
    if (language == "" || shows != "") {
        kind = shows != "" ? "shows" : "prints"
        if (kind == "prints" && command == "" && commands != "") {
            command = commands
            needs = commands_needs
            used = 1
        }
        if (kind == "prints" && command == "") kind = "lacks"
        if (mode == "find") {
            file("command", command)
            file("needs", needs)
            file("exits", exits)
            file("shows", shows)
            file("line", started)
            printf "%s", body == "" ? "" : body "\n" >(work "/" n ".expected")
            close(work "/" n ".expected")
            print kind, n
        }
        forget()
    }
}

function replace_body(    name, line, found) {
    name = work "/" at ".new"
    found = 0
    while ((getline line <name) > 0) {
        print line
        found = 1
    }
    if (found) close(name)
    else if (body != "") print body
}

BEGIN { at = 0; inside = 0; forget(); commands = "" }

!inside && /^```/ {
    inside = 1
    language = substr($0, 4)
    sub(/ .*/, "", language)
    at++
    body = ""
    started = FNR
    if (mode == "replace") print
    next
}
inside && /^```/ {
    inside = 0
    if (mode == "replace") replace_body()
    end_block()
    if (mode == "replace") print
    next
}
inside { body = body == "" && FNR == started + 1 ? $0 : body "\n" $0; next }
/^#/ { flush_commands(); forget() }
/^<!-- prints: / { command = mark($0, "prints") }
/^<!-- needs: / { needs = mark($0, "needs") }
/^<!-- unprinted: / { unprinted = mark($0, "unprinted") }
/^<!-- exits: / { exits = mark($0, "exits") }
/^<!-- shows: / { shows = mark($0, "shows") }
mode == "replace" { print }
END { flush_commands() }
