# Encodes the lines described in trace.sh as octal escapes of a Chakra execution trace. A byte is
# four characters ("\ooo"), so the length of a message is a quarter of its text's.

function byte(n) { return sprintf("\\%03o", n) }

function varint(n, out) {
    while (n >= 128) {
        out = out byte(n % 128 + 128)
        n = int(n / 128)
    }
    return out byte(n)
}

function number(field, n) { return varint(field * 8) varint(n) }
function bytes(field, text) { return varint(field * 8 + 2) varint(length(text) / 4) text }

function ascii(text, out, i) {
    for (i = 1; i <= length(text); i++) {
        out = out byte(index(printable, substr(text, i, 1)) + 31)
    }
    return out
}

# -1 as the ten bytes that protocol buffers use
function signed(n, out, i) {
    if (n >= 0) {
        return varint(n)
    }
    out = byte(256 + n % 128 - (n % 128 == 0 ? 128 : 0))
    for (i = 1; i < 9; i++) {
        out = out byte(255)
    }
    return out byte(1)
}

function attribute(value) { node = node bytes(10, bytes(1, ascii($2)) value) }

function flush_node() {
    if (node != "") {
        file = file varint(length(node) / 4) node
    }
    node = ""
}

function rest(from, i, text) {
    text = $from
    for (i = from + 1; i <= NF; i++) {
        text = text " " $i
    }
    return text
}

BEGIN {
    printable = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`"
    printable = printable "abcdefghijklmnopqrstuvwxyz{|}~"
    metadata = bytes(1, ascii("0.0.4"))
    file = varint(length(metadata) / 4) metadata
}

$1 == "node" {
    flush_node()
    node = number(1, $2) bytes(2, ascii(rest(4))) number(3, $3)
}
$1 == "data" { node = node number(5, $2) }
$1 == "ctrl" { node = node number(4, $2) }
$1 == "micros" { node = node number(7, $2) }
$1 == "int" { attribute(varint(9 * 8) signed($3)) }
$1 == "text" { attribute(bytes(29, ascii(rest(3)))) }
$1 == "bool" { attribute(number(27, $3)) }
$1 == "bools" {
    list = ""
    for (i = 3; i <= NF; i++) {
        list = list byte($i)
    }
    attribute(bytes(28, bytes(1, list)))
}
$1 == "values" { node = node bytes(8, bytes(1, ascii(rest(2)))) }
$1 == "raw" {
    flush_node()
    for (i = 2; i <= NF; i++) {
        file = file "\\" $i
    }
}

END {
    flush_node()
    print file
}
