#!/bin/sh
# The shared library exports the functions that include/orrery declares, and nothing else; its name
# has the version.
set -u

library=$ORRERY_BUILD_DIR/lib/liborrery.so
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

command -v nm >/dev/null && command -v objdump >/dev/null || exit 77

cat "$ORRERY_SOURCE_DIR"/include/orrery/*.h |
    tr '\n' ' ' | sed 's|/\*[^*]*\*/||g; s/;/;\n/g' |
    sed -n 's/.*ORRERY_API[^(]*[ *]\(orrery_[a-z_]*\)(.*/\1/p' | sort >"$work/declared"
nm -D --defined-only "$library" | awk '{ print $NF }' | sort >"$work/exported"

if [ "$(wc -l <"$work/declared")" -lt 30 ]; then
    echo "only $(wc -l <"$work/declared") functions found in the headers"
    failures=$((failures + 1))
fi
if ! diff "$work/declared" "$work/exported" >"$work/diff"; then
    echo "declared (<) and exported (>) functions differ:"
    cat "$work/diff"
    failures=$((failures + 1))
fi

version=$(sed -n 's/^#define ORRERY_VERSION "\([0-9]*\.[0-9]*\)\..*"$/\1/p' \
    "$ORRERY_SOURCE_DIR/include/orrery/orrery.h")
name=$(objdump -p "$library" | sed -n 's/^ *SONAME *//p')
if [ "$name" != "liborrery.so.$version" ]; then
    echo "SONAME is $name, expected liborrery.so.$version"
    failures=$((failures + 1))
fi

[ "$failures" -eq 0 ] && echo "the shared library: $(wc -l <"$work/exported") functions"
exit $((failures > 0))
