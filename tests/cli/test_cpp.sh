#!/bin/sh
# Headers for programs: each alone compiles as C11 and as C++17 without a warning, and a program in C++17 does what it says
# (tests/cli/cpp/program.cc), compiled by g++ and by clang++ where they are there.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
include=$ORRERY_SOURCE_DIR/include
library=$ORRERY_BUILD_DIR/lib/liborrery.so

fail() {
    echo "$*"
    failures=$((failures + 1))
}

! nm -D "$library" | grep -qE ' U __(a|ub|t)san_' || exit 77 # a library with sanitizers asks for a program with them
command -v c++ >/dev/null || exit 77
for header in "$include"/orrery/*.h; do
    name=orrery/$(basename "$header")
    printf '#include <%s>\nint main(void) { return 0; }\n' "$name" >"$work/alone.c"
    cc -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$include" "$work/alone.c" || fail "$name: not C11 alone"
    cp "$work/alone.c" "$work/alone.cc"
    c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$include" "$work/alone.cc" || fail "$name: not C++17 alone"
done
for compiler in c++ clang++; do
    command -v "$compiler" >/dev/null || continue
    "$compiler" -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Werror -I "$include" -o "$work/program" \
        "$ORRERY_SOURCE_DIR/tests/cli/cpp/program.cc" "$library" -Wl,-rpath,"$ORRERY_BUILD_DIR/lib" || {
        fail "$compiler: the program does not compile"
        continue
    }
    said=$("$work/program" 2>&1)
    [ "$said" = "C++: as expected" ] || fail "$compiler: $said"
done
[ "$failures" -eq 0 ] && echo "headers: C11 and C++17"
exit $((failures > 0))
