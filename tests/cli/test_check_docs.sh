#!/bin/sh
# Every reference to a page of docs/ resolves; the check finds each broken one in a small tree.
set -u

check=$ORRERY_SOURCE_DIR/cmake/check_docs.sh
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

# put FILE TEXT: writes a file into the tree
put() {
    mkdir -p "$work/tree/$(dirname "$1")"
    printf '%s\n' "$2" >"$work/tree/$1"
}

# shellcheck disable=SC2016 # backticks are text
good_tree() {
    rm -rf "$work/tree"
    put docs/models.md '# Models

## 4. Network, and *more*

Of [flows](models/flows.md#max-min-shares), [here](#4-network-and-more), [above](../README.md), [far](https://x.y/z#a).

```text
[no](link.md)
```'
    put docs/models/flows.md '# Flows

## Max-min shares

Back: [models](../models.md), section 4.'
    put README.md '[docs](docs) and `docs/NAME.md`, `docs/models.md`'
    put core/time.h '/* As docs/models.md, section 4, says; docs/models.md,
 * section 4; docs/models.md, "4. Network". */'
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

# rejects FILE TEXT OUTPUT: with this in the tree the check says so
rejects() {
    good_tree
    put "$1" "$2"
    expect 1 "$3"
}

good_tree
expect 0 ''

rejects core/a.c '/* docs/model.md */' 'core/a.c:1: docs/model.md: there is no such page'
rejects core/a.c '/* (docs/models.md, 5) */' 'core/a.c:1: docs/models.md has no section 5'
rejects core/a.c '/* docs/models.md, section
 * 14. */' 'core/a.c:1: docs/models.md has no section 14'
rejects tests/a.sh '# docs/models.md, "5. Network"' 'tests/a.sh:1: docs/models.md has no heading "5. Network"'
rejects README.md '[models](docs/models.md), section 3' 'README.md:1: docs/models.md has no section 3'
rejects README.md 'See [flows](docs/flows.md).' 'README.md:1: (docs/flows.md): there is no such file or folder
README.md:1: docs/flows.md: there is no such page'
rejects README.md 'See [flows](docs/models/flows.md#shares).' 'README.md:1: (docs/models/flows.md#shares): docs/models/flows.md has no such heading'

# shellcheck disable=SC2016 # backticks are text
{
    rejects docs/a.md 'See `core/time.c`, `core/*.h`, `time.h`, `core/`, `cores/time.c`.' 'docs/a.md:1: `core/time.c`: there is no such file or folder'
    rejects docs/a.md '`times.h`' 'docs/a.md:1: `times.h`: there is no such file'
}

rm -rf "$work/tree"
mkdir "$work/tree"
expect 1 "check_docs.sh: no docs under $work/tree"

"$check" "$ORRERY_SOURCE_DIR" || failures=$((failures + 1))

[ "$failures" -eq 0 ] && echo "docs: every reference resolves"
exit $((failures > 0))
