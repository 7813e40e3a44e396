#!/bin/sh
# docs/architecture.md and the guides of folders agree with the tree: what they name exists, and every
# folder with sources is named and has its guide. The check itself finds each broken rule in a small tree.
set -u

check=$ORRERY_SOURCE_DIR/cmake/check_guides.sh
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

# put FILE LINE: writes a one-line file into the tree
put() {
    mkdir -p "$work/tree/$(dirname "$1")"
    printf '%s\n' "$2" >"$work/tree/$1"
}

# shellcheck disable=SC2016 # backticks are text
good_tree() {
    rm -rf "$work/tree"
    put core/time.c ''
    put core/time.h ''
    put core/README.md '`time.c`, `time.h`; `conf/`, below; `malloc`'
    put core/conf/conf_read.c ''
    put core/conf/conf_value.c ''
    put core/conf/README.md '`conf_*.c`; others include `core/time.h`'
    put system/sys.h ''
    put system/README.md '`sys.h`'
    put tests/unit/test_time.c ''
    put docs/architecture.md '`core/`, `core/conf/`, `tests/unit/test_NAME.c` in `tests/unit/`, `build/x`,
`core/time.c --help`, `core/conf/conf_*.c`, `time.h`, `system/`'
}

# expect STATUS TEXT: runs the check; TEXT is the exact output
expect() {
    output=$("$check" "$work/tree" 2>&1)
    status=$?
    if [ "$status" -ne "$1" ] || [ "$output" != "$2" ]; then
        printf 'expected exit status %s and:\n%s\ngot %s and:\n%s\n' "$1" "$2" "$status" "$output"
        failures=$((failures + 1))
    fi
}

# rejects FILE LINE TEXT: with this in the tree the check says so
rejects() {
    good_tree
    put "$1" "$2"
    expect 1 "$3"
}

good_tree
expect 0 ''

# shellcheck disable=SC2016
{
    put docs/architecture.md '`core/`, `core/conf/`, `tests/unit/`
<!-- listing: core/tome.c + after `tome.c` -->
```text
- `tome.c`
```
`core/time.c`'
    expect 0 ''
}

# shellcheck disable=SC2016
{
    all='`core/`, `core/conf/`, `tests/unit/`'
    rejects docs/architecture.md "$all, \`core/tome.c\`" \
        'docs/architecture.md:1: `core/tome.c`: there is no such file or folder'
    rejects docs/architecture.md "$all, \`core/conf_*.c\`" \
        'docs/architecture.md:1: `core/conf_*.c`: there is no such file or folder'
    rejects docs/architecture.md "$all, \`tome.h\`" 'docs/architecture.md:1: `tome.h`: there is no such file'
    rejects docs/architecture.md "$all, \`nowhere/\`" \
        'docs/architecture.md:1: `nowhere/`: there is no such file or folder'
    rejects docs/architecture.md '`core/`, `core/conf/conf_read.c`, `tests/unit/`' \
        'docs/architecture.md: does not name `core/conf/`'
    rejects docs/architecture.md '`core/`, `core/conf/`' 'docs/architecture.md: does not name `tests/unit/`'
    rejects core/README.md 'first
`time.c`, `tome.h`' 'core/README.md:2: `tome.h`: there is no such file in core/'
    rejects core/README.md '`time.c`, `core/conf/tome.h`' \
        'core/README.md:1: `core/conf/tome.h`: there is no such file or folder'
    rejects core/README.md '`time.h`, `conf_read.c`' 'core/README.md: does not name `time.c`'
    rejects core/conf/README.md '`conf_*.c`, `time.c`' \
        'core/conf/README.md:1: `time.c`: there is no such file in core/conf/'
    rejects core/conf/README.md '`conf_read.c`' 'core/conf/README.md: does not name `conf_value.c`'
    rejects system/README.md '`state.h`' 'system/README.md:1: `state.h`: there is no such file in system/'
    rejects docs/glossary.md '| union-find | disjoint sets | `core/joined.h` |' \
        'docs/glossary.md:1: `core/joined.h`: there is no such file or folder'
    rejects core/time.d/x.c '' 'docs/architecture.md: does not name `core/time.d/`
core/time.d/README.md: there is no such guide'
}

"$check" || failures=$((failures + 1))

[ "$failures" -eq 0 ] && echo "the page on architecture and the guides name what there is"
exit $((failures > 0))
