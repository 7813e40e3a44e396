#!/bin/sh
# Builds the listings of docs/architecture.md ("Adding something") as they stand there: each is added to
# a copy of the tree by itself, may have at most 10 files of the product compiled, and must pass the tests
# that hold for all of its kind. Prints a line for each; exit status 1 if one is missing or fails.
#
#   usage: check_listings.sh [BUILD [PAGE]]     (default: build/listings, docs/architecture.md)
#
# BUILD is made, with the copy in BUILD/tree and its build in BUILD/build; one that is there goes before.
#
# A listing is a paragraph that begins "A KIND, whole:" or "An ...", and the blocks of code behind it, up to
# the next such paragraph or heading. Before each block stands what it is:
#   <!-- listing: FILE -->              a new file
#   <!-- listing: FILE + -->            lines at the end of a file
#   <!-- listing: FILE + after TEXT --> lines behind the first line of a file that has the text in it
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build/listings}
page=${2:-$root/docs/architecture.md}
most=10
kinds=${ORRERY_LISTINGS:-result
backend with a key
key
algorithm
fabric
routing
kind of operators
subcommand} # one a line
failures=0
export LC_ALL=C

# The tests that hold for every entry of the kind's table.
tests_of() {
    case $1 in
    result) echo test_results test_results_by_name ;;
    'backend with a key') echo test_network_contract test_config_keys test_one_answer ;;
    key) echo test_network_contract test_config_keys test_congestion ;;
    algorithm) echo test_algorithms test_checker test_whole ;;
    fabric) echo test_fabrics test_graphs ;;
    routing) echo test_routing test_graphs test_ring_links ;;
    'kind of operators') echo test_model_parts test_published_models ;;
    subcommand) echo test_command test_completion ;;
    esac
}

# Those of them that are programs.
programs_of() {
    for test in $(tests_of "$1"); do
        ! ls "$root"/tests/*/"$test.c" >/dev/null 2>&1 || echo "$test"
    done
}

fail() {
    printf 'BROKEN  %s\n' "$*"
    failures=$((failures + 1))
}

# Splits the page: listings/KIND/N.file, N.how (new, end, after), N.after and N.text.
# shellcheck disable=SC2016 # awk's own
split_page() {
    awk -v out="$build/listings" '
        function close_listing() {
            kind = ""
        }
        /^An? .*, whole:/ {
            kind = $0
            sub(/^An? /, "", kind)
            sub(/, whole:.*/, "", kind)
            blocks = 0
            named = 0
            system("mkdir -p \"" out "/" kind "\"")
            next
        }
        /^#/ && !inside { close_listing() }
        kind != "" && /^<!-- listing: .* -->$/ {
            line = $0
            sub(/^<!-- listing: /, "", line)
            sub(/ -->$/, "", line)
            after = ""
            how = "new"
            if ((at = index(line, " + after ")) > 0) {
                how = "after"
                after = substr(line, at + 9)
                line = substr(line, 1, at - 1)
            } else if (sub(/ \+$/, "", line)) {
                how = "end"
            }
            base = out "/" kind "/" ++blocks
            print line >(base ".file")
            print how >(base ".how")
            print after >(base ".after")
            printf "" >(base ".text")
            named = 1
            next
        }
        /^```/ && inside {
            inside = 0
            next
        }
        /^```/ {
            inside = 1
            taken = named
            named = 0
            next
        }
        inside && taken && kind != "" { print >(base ".text") }
    ' "$page"
}

# copy_existing: copies those of the files named on standard input that the tree has, with their folders
copy_existing() {
    (cd "$root" && sort -u | while read -r file; do
        [ ! -f "$file" ] || printf '%s\n' "$file"
    done | tar -cf - -T -) | tar -xf - -C "$build/tree"
}

# put KIND N: one block into the copy
put() {
    base=$build/listings/$1/$2
    file=$build/tree/$(cat "$base.file")
    case $(cat "$base.how") in
    new)
        [ ! -e "$file" ] || { echo "$(cat "$base.file") is there already" && return 1; }
        mkdir -p "$(dirname "$file")"
        cp "$base.text" "$file"
        ;;
    end)
        cat "$base.text" >>"$file"
        ;;
    after)
        # shellcheck disable=SC2016 # awk's own
        AFTER=$(cat "$base.after") awk -v text="$base.text" '
            { print }
            !done && index($0, ENVIRON["AFTER"]) > 0 {
                done = 1
                while ((getline line <text) > 0)
                    print line
            }
            END { exit !done }' "$file" >"$file.new" || {
            rm -f "$file.new"
            echo "$(cat "$base.file") has no line with: $(cat "$base.after")"
            return 1
        }
        mv "$file.new" "$file"
        ;;
    esac
}

# put_all KIND: the listing into the copy; says what is wrong with it
put_all() {
    n=1
    while [ -f "$build/listings/$1/$n.file" ]; do
        [ -s "$build/listings/$1/$n.text" ] || { echo "$(cat "$build/listings/$1/$n.file"): no code" && return 1; }
        put "$1" "$n" || return 1
        n=$((n + 1))
    done
    [ "$n" -gt 1 ] || { echo "no block of code is part of it" && return 1; }
}

# take_out KIND: the files of the listing as they were
take_out() {
    cat "$build/listings/$1"/*.file | sort -u | while read -r file; do
        if [ -e "$root/$file" ]; then
            cp "$root/$file" "$build/tree/$file"
        else
            rm -f "$build/tree/$file"
        fi
    done
}

# compile LOG TARGET...
compile() {
    log=$1
    shift
    cmake --build "$build/build" --target "$@" >"$log" 2>&1
}

# The files of the product that were compiled.
count_compiled() {
    grep -c 'Building C object \(core\|network\|memory\|system\|workload\|et_converter\|sim\|report\|study\|planner\|topoopt\|sipml\|cli\)/' \
        "$1" || true
}

# formatted KIND: its C is as clang-format has it
formatted() {
    command -v clang-format >/dev/null || return 0
    cat "$build/listings/$1"/*.file | sort -u | grep '\.[ch]$' | while read -r file; do
        (cd "$build/tree" && clang-format --dry-run -Werror "$file") || exit 1
    done
}

# try_listing KIND: 0 when all is well
# shellcheck disable=SC2046,SC2086 # lists of words
try_listing() {
    name=$(printf '%s' "$1" | tr ' ' '_')
    log=$build/$name.log
    put_all "$1" >/dev/null
    compile "$log" orr_all orrery || { fail "$1: does not build" && tail -30 "$log" && return; }
    compiled=$(count_compiled "$log")
    [ "$compiled" -le $most ] || fail "$1: $compiled files of the product are compiled, more than $most"
    programs=$(programs_of "$1")
    [ -z "$programs" ] || compile "$log" $programs ||
        { fail "$1: its tests do not build" && tail -30 "$log" && return; }
    ctest --test-dir "$build/build" -j 2 --no-tests=error --output-on-failure \
        -R "^($(tests_of "$1" | tr ' ' '|'))\$" >"$log" 2>&1 ||
        { fail "$1: tests fail" && tail -40 "$log" && return; }
    formatted "$1" || { fail "$1: clang-format has it otherwise" && return; }
    "$build/tree/cmake/check_guides.sh" >"$log" 2>&1 || { fail "$1: guides" && tail -5 "$log" && return; }
    "$build/tree/cmake/check_includes.sh" >"$log" 2>&1 || { fail "$1: includes" && tail -5 "$log" && return; }
    printf 'ok      %s: %s files of the product compiled (at most %s), tests: %s\n' "$1" "$compiled" $most \
        "$(tests_of "$1")"
}

if [ -e "$build" ] && [ ! -d "$build/listings" ]; then
    echo "check_listings.sh: $build is there, and not of this script" >&2
    exit 2
fi
rm -rf "$build"
mkdir -p "$build/tree" "$build/listings"
build=$(cd "$build" && pwd)
split_page

# Before anything is compiled or copied but the files that listings are parts of: all are there, and have their
# places.
find "$build/listings" -name '*.file' -exec cat {} + | copy_existing
for name in $(printf '%s\n' "$kinds" | tr ' ' '_'); do
    kind=$(printf '%s' "$name" | tr '_' ' ')
    if [ ! -d "$build/listings/$kind" ]; then
        fail "$kind: $page has no paragraph that begins with it, \"..., whole:\""
    elif ! why=$(put_all "$kind"); then
        fail "$kind: $why"
    else
        take_out "$kind"
    fi
done
[ "$failures" -eq 0 ] || exit 1

(cd "$root" && git ls-files --cached --others --exclude-standard) | copy_existing
cp "$page" "$build/tree/docs/architecture.md"
cmake -S "$build/tree" -B "$build/build" --preset debug -DORRERY_WERROR=ON \
    "-DCMAKE_C_FLAGS_DEBUG=-O1 -g0" >"$build/configure.log" 2>&1 ||
    { tail -20 "$build/configure.log" && exit 1; }
compile "$build/product.log" orr_all orrery || { tail -30 "$build/product.log" && exit 1; }
for name in $(printf '%s\n' "$kinds" | tr ' ' '_'); do
    kind=$(printf '%s' "$name" | tr '_' ' ')
    try_listing "$kind"
    take_out "$kind"
    compile "$build/product.log" orr_all orrery
done
[ "$failures" -eq 0 ]
