#!/bin/sh
# What cmake --install puts into a folder of its own is complete: programs in C and C++ find the
# library by pkg-config and by find_package, and the command finds its inputs.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
failures=0

fail() {
    echo "$*"
    failures=$((failures + 1))
}

# A library built with sanitizers asks for a program built with them.
! nm -D "$ORRERY_BUILD_DIR/lib/liborrery.so" | grep -qE ' U __(a|ub|t)san_' || exit 77
cmake --install "$ORRERY_BUILD_DIR" --prefix "$prefix" >"$work/log" 2>&1 || {
    cat "$work/log"
    exit 1
}

# has PATTERN: a file of this name is installed
has() {
    [ -n "$(find "$prefix" -path "$prefix/$1" | head -n 1)" ] || fail "not installed: $1"
}
has bin/orrery
has 'lib*/liborrery.so'
has 'lib*/liborrery.a'
has include/orrery/orrery.h
has include/orrery/orrery.hpp
has 'lib*/pkgconfig/orrery.pc'
has 'lib*/cmake/Orrery/OrreryConfig.cmake'
has 'lib*/cmake/Orrery/OrreryConfigVersion.cmake'
for command in "" $("$ORRERY_BIN" --help |
    awk '/^commands:/ { on = 1; next } /^$/ { on = 0 } on { print "-" $1 }'); do
    has "share/man/man1/orrery$command.1"
done
has share/man/man5/orrery-platform.5
has share/bash-completion/completions/orrery
has share/zsh/site-functions/_orrery
has share/fish/vendor_completions.d/orrery.fish
has share/orrery/platforms/dgx_a100_64.yml
has share/orrery/workloads/all_reduce_1gb.yml
has lib/python3/dist-packages/orrery/__init__.py
has share/doc/orrery/README.md
has share/doc/orrery/docs/README.md
has share/doc/orrery/examples/first_run/run.sh
has share/doc/orrery/docs/how-to/run-a-job.md
has share/doc/orrery/docs/pictures/traffic.svg
grep -rlF -e "$ORRERY_SOURCE_DIR" -e "$ORRERY_BUILD_DIR" "$prefix"/lib*/pkgconfig "$prefix"/lib*/*/pkgconfig \
    "$prefix"/lib*/cmake "$prefix"/lib*/*/cmake "$prefix/share" 2>/dev/null >"$work/names"
[ ! -s "$work/names" ] || fail "names of the build's folders in: $(cat "$work/names")"

# ---- the command: inputs by name, from wherever the tree is moved to ----

mv "$prefix" "$work/moved"
prefix=$work/moved
(cd / && "$prefix/bin/orrery" run --platform dgx_a100_64 --workload all_reduce_1gb) >"$work/out" 2>&1 ||
    fail "orrery run --platform dgx_a100_64: $(cat "$work/out")"
head -n 1 "$work/out" | grep -q '^job time .* on 64 NPUs$' || fail "printed: $(head -n 1 "$work/out")"
"$prefix/bin/orrery" run --list-inputs | grep -qF "platforms in $prefix/share/orrery/platforms:" ||
    fail "lists other inputs: $("$prefix/bin/orrery" run --list-inputs | head -n 1)"

# The Python package finds the library, and that the inputs, by its own prefix.
if python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    said=$(cd / && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$prefix/lib/python3/dist-packages python3 -c \
        "import orrery; print(orrery.run('dgx_a100_64', 'all_reduce_1gb').npus, orrery.inputs_folder())" 2>&1)
    [ "$said" = "64 $prefix/share/orrery" ] || fail "Python: prints \"$said\""
fi

# ---- the library ----

# Its own names are local, in either form: a program may use them for itself.
for library in liborrery.a liborrery.so; do
    dynamic=
    [ "$library" = liborrery.a ] || dynamic=-D
    # shellcheck disable=SC2086 # no word, where it is empty
    symbols=$(nm $dynamic -g --defined-only "$(find "$prefix" -name "$library" | head -n 1)" |
        awk 'NF == 3 { print $3 }')
    [ "$(printf '%s\n' "$symbols" | grep -c '^orrery_')" -gt 20 ] ||
        fail "$library: defines too few symbols: $symbols"
    other=$(printf '%s\n' "$symbols" | grep -v '^orrery_')
    [ -z "$other" ] || fail "$library: defines symbols of others: $other"
done

cat >"$work/program.c" <<'END'
#include <orrery/orrery.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct orrery_inputs inputs = {0};
    struct orrery *job = orrery_new();
    inputs.platform = argv[1];
    inputs.workload = argc > 2 ? argv[2] : NULL;
    if (orrery_load(job, &inputs) != ORRERY_OK || orrery_run(job) != ORRERY_OK) {
        fprintf(stderr, "%s\n", orrery_error(job));
        return 1;
    }
    printf("%s %lld\n", orrery_version(), (long long)orrery_wall_ps(job));
    orrery_free(job);
    return 0;
}
END
sed -e 's/= {0}/= {}/' "$work/program.c" >"$work/program.cc"

cat >"$work/inputs.c" <<'END'
#include <orrery/inputs.h>
#include <stdio.h>

int main(void)
{
    struct orrery_catalogue *catalogue = orrery_catalogue_new();
    printf("%s\n", orrery_inputs_folder(catalogue));
    orrery_catalogue_free(catalogue);
    return 0;
}
END

share=$prefix/share/orrery
wall=$("$prefix/bin/orrery" run dgx_a100_64 all_reduce_1gb --json - | sed -n 's/.*"wall_ps": \([0-9]*\).*/\1/p' | head -n 1)
expected="$("$ORRERY_BIN" --version | sed 's/.* //') $wall"
libdir=$(dirname "$(find "$prefix" -name liborrery.so | head -n 1)")

# runs WHAT PROGRAM
runs() {
    said=$(LD_LIBRARY_PATH=$libdir "$2" "$share/platforms/dgx_a100_64.yml" \
        "$share/workloads/all_reduce_1gb.yml" 2>&1)
    [ "$said" = "$expected" ] || fail "$1: prints \"$said\", expected \"$expected\""
}

if command -v pkg-config >/dev/null; then
    PKG_CONFIG_PATH=$libdir/pkgconfig
    export PKG_CONFIG_PATH
    flags=$(pkg-config --cflags --libs orrery) || fail "pkg-config finds no orrery"
    # shellcheck disable=SC2086 # a list of words
    cc -Wall -Werror -o "$work/c" "$work/program.c" $flags && runs "C, pkg-config" "$work/c"
    # shellcheck disable=SC2086
    if command -v c++ >/dev/null; then
        c++ -Wall -Werror -o "$work/cxx" "$work/program.cc" $flags && runs "C++, pkg-config" "$work/cxx"
    fi
    # A program elsewhere finds the inputs of the prefix that its library is in, wherever that was moved to.
    # shellcheck disable=SC2086
    cc -Wall -Werror -o "$work/inputs" "$work/inputs.c" $flags
    said=$(LD_LIBRARY_PATH=$libdir "$work/inputs")
    [ "$said" = "$share" ] || fail "a linked program finds the inputs \"$said\", expected \"$share\""
    static=$(pkg-config --cflags --libs --static orrery | sed 's/-lorrery/-l:liborrery.a/')
    # shellcheck disable=SC2086
    cc -Wall -o "$work/static" "$work/program.c" $static && runs "C, static" "$work/static"
    LD_LIBRARY_PATH=$libdir ldd "$work/static" | grep -q liborrery && fail "static: needs liborrery.so"
else
    echo "no pkg-config here: not tried"
fi

version=$(sed -n 's/^#define ORRERY_VERSION "\([0-9]*\.[0-9]*\)\..*"$/\1/p' "$ORRERY_SOURCE_DIR/include/orrery/orrery.h")
mkdir "$work/project"
cp "$work/program.c" "$work/project"
cat >"$work/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.16)
project(user C)
find_package(Orrery $version REQUIRED)
add_executable(shared program.c)
target_link_libraries(shared Orrery::orrery)
add_executable(static program.c)
target_link_libraries(static Orrery::orrery_static)
END
if cmake -S "$work/project" -B "$work/project/build" "-DCMAKE_PREFIX_PATH=$prefix" >"$work/log" 2>&1 &&
    cmake --build "$work/project/build" >>"$work/log" 2>&1; then
    runs "find_package" "$work/project/build/shared"
    runs "find_package, static" "$work/project/build/static"
else
    fail "find_package: $(cat "$work/log")"
fi
for program in c cxx static project/build/shared project/build/static; do
    [ -x "$work/$program" ] || [ "$program" = cxx ] || ! command -v pkg-config >/dev/null ||
        fail "not built: $program"
done

[ "$failures" -eq 0 ] && echo "the installed tree: complete"
exit $((failures > 0))
