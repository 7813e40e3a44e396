#!/usr/bin/env bash
# Makes a release of what is committed: a tarball, its checksum and its notes.
#
#   usage: cmake/release.sh [-o FOLDER] [--no-build]     (default: build/release-files)
#          cmake/release.sh --notes [VERSION]            prints the notes of a version (default: the present one)
#
# FOLDER gets orrery-VERSION.tar.gz, orrery-VERSION.tar.gz.sha256 and orrery-VERSION.md. Before that it checks that nothing is
# uncommitted, that the version of include/orrery/orrery.h, which CMake reads, is the first section of CHANGELOG.md, with a date and
# notes, and that no other commit has the tag vVERSION. Then the tarball is unpacked in an empty folder, built, installed, and the
# installed command runs the first example. The same commit gives the same bytes. The tag is set by hand; its command is printed.
# Exit status: 0, 1 where a check or the build fails, 2 for wrong arguments.
set -euo pipefail
export LC_ALL=C

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"

fail() {
    printf 'cmake/release.sh: %s\n' "$1" >&2
    exit "${2:-1}"
}

read_version() {
    sed -n 's/^#define ORRERY_VERSION "\([0-9]*\.[0-9]*\.[0-9]*\)"$/\1/p' include/orrery/orrery.h
}

# notes_of VERSION: its section of the changelog, without heading and blank lines at both ends
notes_of() {
    awk -v heading="## [$1]" '
        index($0, "## [") == 1 { on = index($0, heading) == 1; next }
        on && NF { for (; blank > 0; blank--) print ""; print; begun = 1 }
        on && !NF && begun { blank++ }' CHANGELOG.md
}

check_changelog() {
    local head line
    line=$(grep -n -m 1 '^## \[' CHANGELOG.md) || fail "CHANGELOG.md: no version; expected a heading \"## [$version] - YYYY-MM-DD\""
    head=${line#*:}
    [[ $head =~ ^"## [$version] - "[0-9]{4}-[0-9]{2}-[0-9]{2}$ ]] ||
        fail "CHANGELOG.md:${line%%:*}: \"$head\"; expected \"## [$version] - YYYY-MM-DD\", as include/orrery/orrery.h has $version"
    [ -n "$(notes_of "$version")" ] || fail "CHANGELOG.md:${line%%:*}: no notes of $version"
}

check_tree() {
    local changed tagged
    changed=$(git status --porcelain)
    [ -z "$changed" ] || fail "not committed:"$'\n'"$changed"
    tagged=$(git rev-parse -q --verify "refs/tags/v$version^{commit}" || true)
    [ -z "$tagged" ] || [ "$tagged" = "$(git rev-parse HEAD)" ] ||
        fail "the tag v$version is at ${tagged:0:8}: raise ORRERY_VERSION in include/orrery/orrery.h, and add its section to CHANGELOG.md"
}

# try_tarball FILE: builds and installs what it holds in an empty folder, and runs the first example with that
try_tarball() {
    local said name=orrery-$version
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    tar -xzf "$1" -C "$scratch"
    for step in "cmake --preset release -DORRERY_WERROR=ON -DORRERY_TESTS=OFF" "cmake --build --preset release" \
        "cmake --install build/release --prefix $scratch/prefix" \
        "env ORRERY_BIN=$scratch/prefix/bin/orrery examples/first_run/run.sh"; do
        (cd "$scratch/$name" && $step) >"$scratch/log" 2>&1 </dev/null || {
            tail -20 "$scratch/log" >&2
            fail "the unpacked tarball fails at: $step"
        }
    done
    said=$("$scratch/prefix/bin/orrery" --version)
    [[ " $said " == *" $version "* ]] || fail "the installed command says \"$said\", expected $version"
}

out=build/release-files builds=yes
version=$(read_version)
[ -n "$version" ] || fail "include/orrery/orrery.h: no #define ORRERY_VERSION \"X.Y.Z\""
while [ $# -gt 0 ]; do
    case $1 in
    --notes)
        [ -n "$(notes_of "${2:-$version}")" ] || fail "CHANGELOG.md: no notes of ${2:-$version}"
        notes_of "${2:-$version}"
        exit
        ;;
    --no-build) builds=no ;;
    -o | --output)
        [ -n "${2:-}" ] || fail "$1 needs a folder" 2
        out=$2
        shift
        ;;
    *) fail "unknown argument '$1'; usage: cmake/release.sh [-o FOLDER] [--no-build], or --notes [VERSION]" 2 ;;
    esac
    shift
done

check_changelog
check_tree
mkdir -p "$out"
out=$(cd "$out" && pwd)
tarball=orrery-$version.tar.gz
git archive --format=tar --prefix="orrery-$version/" HEAD | gzip -9n >"$out/$tarball"
[ "$builds" = no ] || try_tarball "$out/$tarball"
(cd "$out" && sha256sum "$tarball" >"$tarball.sha256")
notes_of "$version" >"$out/orrery-$version.md"
echo "$out: $tarball, $tarball.sha256, orrery-$version.md"
echo "next: git tag -a v$version -F $out/orrery-$version.md --cleanup=verbatim && git push origin v$version"
