#!/bin/sh
# The version of the library is that of the changelog's newest release; cmake/release.sh makes tarball, checksum and notes of
# a clean tree, the same bytes twice, and names what is wrong with any other: with a small project in a repository of its own.
set -u

release=$ORRERY_SOURCE_DIR/cmake/release.sh
command -v git >/dev/null && command -v ninja >/dev/null || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

version=$(sed -n 's/^#define ORRERY_VERSION "\(.*\)"$/\1/p' "$ORRERY_SOURCE_DIR/include/orrery/orrery.h")
newest=$(sed -n 's/^## \[\([0-9][0-9.]*\)\] - [0-9]*-[0-9]*-[0-9]*$/\1/p' "$ORRERY_SOURCE_DIR/CHANGELOG.md" | head -1)
[ "$version" = "$newest" ] || fail "ORRERY_VERSION is $version, the newest release of CHANGELOG.md $newest"
"$release" --notes | grep -q '^- ' || fail "no notes of $version"
"$release" --notes 0.1.0 | head -1 | grep -q '^Options and keys' || fail "notes of 0.1.0 begin with: $("$release" --notes 0.1.0 | head -1)"

# ---- a small project ----

tree=$work/tree
mkdir -p "$tree/cmake" "$tree/include/orrery" "$tree/examples/first_run"
cp "$release" "$tree/cmake/"
cd "$tree" || exit 1
git() { command git -c user.name=test -c user.email=test@localhost -c init.defaultBranch=main -c commit.gpgsign=false "$@"; }
set_version() { printf '#define ORRERY_VERSION "%s"\n' "$1" >include/orrery/orrery.h; }
set_changelog() { printf '# Changelog\n\n## %s\n\n### Added\n\n- A thing.\n\n- Another.\n\n## [0.0.9] - 2020-01-01\n\n- Old.\n' "$1" >CHANGELOG.md; }
commit() { git add -A && git commit -qm "x"; }

set_version 1.2.3
set_changelog '[1.2.3] - 2020-02-02'
printf 'build/\n' >.gitignore
cat >CMakePresets.json <<'END'
{"version": 6,
 "configurePresets": [{"name": "release", "generator": "Ninja", "binaryDir": "${sourceDir}/build/release"}],
 "buildPresets": [{"name": "release", "configurePreset": "release"}]}
END
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(small C)
add_executable(orrery main.c)
install(TARGETS orrery)
END
cat >main.c <<'END'
#include "include/orrery/orrery.h"
#include <stdio.h>
int main(void) { return puts("orrery " ORRERY_VERSION " of a test") < 0; }
END
printf '#!/bin/sh\n"$ORRERY_BIN" >/dev/null\n' >examples/first_run/run.sh
chmod +x examples/first_run/run.sh
git init -q . && commit || exit 1

cmake/release.sh -o "$work/a" >"$work/said" 2>&1 || fail "a clean tree is refused: $(cat "$work/said")"
grep -q 'git tag -a v1\.2\.3' "$work/said" || fail "no command for the tag: $(cat "$work/said")"
git ls-files | sed 's,^,orrery-1.2.3/,' | LC_ALL=C sort >"$work/expected"
tar -tzf "$work/a/orrery-1.2.3.tar.gz" | grep -v '/$' | LC_ALL=C sort | cmp -s - "$work/expected" || fail "the tarball has other files"
(cd "$work/a" && sha256sum -c --quiet orrery-1.2.3.tar.gz.sha256) || fail "the checksum is of other bytes"
[ "$(cat "$work/a/orrery-1.2.3.md")" = "### Added

- A thing.

- Another." ] || fail "notes: $(cat "$work/a/orrery-1.2.3.md")"
cmake/release.sh -o "$work/b" --no-build >"$work/said" 2>&1 && cmp "$work/a/orrery-1.2.3.tar.gz" "$work/b/orrery-1.2.3.tar.gz" ||
    fail "not the same bytes twice: $(cat "$work/said")"

# refused STATUS TEXT [ARGUMENT...]: the exit status, a message that has the text, and no file
refused() {
    status=$1 text=$2
    shift 2
    rm -rf "$work/none"
    cmake/release.sh -o "$work/none" "$@" >"$work/said" 2>&1
    got=$?
    [ "$got" -eq "$status" ] || fail "\"$text\": exit status $got, expected $status"
    grep -qF -e "$text" "$work/said" || fail "expected \"$text\", got: $(cat "$work/said")"
    [ ! -e "$work/none/orrery-1.2.3.md" ] || fail "\"$text\": there are notes"
}

refused 2 "unknown argument '--tag'" --tag
refused 2 "-o needs a folder" -o
echo >>main.c
refused 1 " M main.c"
git checkout -q main.c
echo >stray.c
refused 1 "?? stray.c"
rm stray.c
set_changelog '[Unreleased]' && commit
refused 1 'CHANGELOG.md:3: "## [Unreleased]"; expected "## [1.2.3] - YYYY-MM-DD"'
set_changelog '[1.2.4] - 2020-02-02' && commit
refused 1 'as include/orrery/orrery.h has 1.2.3'
set_changelog '[1.2.3]' && commit
refused 1 'expected "## [1.2.3] - YYYY-MM-DD"'
printf '## [1.2.3] - 2020-02-02\n\n## [0.0.9] - 2020-01-01\n\n- Old.\n' >CHANGELOG.md && commit
refused 1 'CHANGELOG.md:1: no notes of 1.2.3'
set_changelog '[1.2.3] - 2020-02-02' && echo 'int x' >>main.c && commit
refused 1 'the unpacked tarball fails at: cmake --build'
git checkout -q HEAD~1 main.c && git commit -qm x && git tag v1.2.3 HEAD~1
refused 1 'the tag v1.2.3 is at'
set_version 1.2 && commit
refused 1 'no #define ORRERY_VERSION'

[ "$failures" -eq 0 ] && echo "releases"
exit $((failures > 0))
