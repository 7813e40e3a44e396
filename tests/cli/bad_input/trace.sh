# Sourced by tests: writes execution traces from a few lines of text, with awk and printf only.
#
#   trace FILE <<END
#   node ID TYPE NAME        begins a node; TYPE is the number in the Chakra schema
#   data ID, ctrl ID         a parent of the node
#   micros N                 its recorded duration
#   int NAME VALUE           an attribute: int64, text, boolean or list of booleans
#   text NAME VALUE
#   bool NAME 0|1
#   bools NAME 0|1 ...
#   values TEXT              inputs.values
#   raw OCTAL...             bytes of a record of its own
#   END
#
# A file without nodes holds the leading metadata record only.

trace() {
    # shellcheck disable=SC2059 # the format is the data
    printf "$(awk -f "$here/bad_input/trace.awk")" >"$1"
}

# One trace for all ranks: traces PREFIX RANKS <<END
traces() {
    trace "$1.0.et"
    rank=1
    while [ "$rank" -lt "$2" ]; do
        cp "$1.0.et" "$1.$rank.et"
        rank=$((rank + 1))
    done
}
