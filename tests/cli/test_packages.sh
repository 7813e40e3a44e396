#!/bin/sh
# The Debian packages (cpack -G DEB): what each holds and needs; unpacked together, the command, the Python package and an
# installed example find what they need.
set -u

command -v cpack >/dev/null && command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null || exit 77
! nm -D "$ORRERY_BUILD_DIR/lib/liborrery.so" | grep -qE ' U __(a|ub|t)san_' || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "$*"
    failures=$((failures + 1))
}

cpack --config "$ORRERY_BUILD_DIR/CPackConfig.cmake" -G DEB -B "$work/debs" >"$work/log" 2>&1 || {
    cat "$work/log"
    exit 1
}
version=$(sed -n 's/^#define ORRERY_VERSION "\(.*\)"$/\1/p' "$ORRERY_SOURCE_DIR/include/orrery/orrery.h")
so=${version%.*}

# has PACKAGE PATH: the package holds a file of this name
has() {
    dpkg-deb -c "$work"/debs/"$1"_"$version"_*.deb >"$work/list" && grep -qE " \./usr/$2\$" "$work/list" || fail "$1: no $2"
}
# needs PACKAGE TEXT: its dependencies
needs() {
    dpkg-deb -f "$work"/debs/"$1"_"$version"_*.deb Depends | grep -qF "$2" || fail "$1: does not depend on $2"
}
has orrery bin/orrery
has orrery share/man/man1/orrery-run.1
has orrery share/bash-completion/completions/orrery
has "liborrery$so" "lib.*/liborrery\.so\.$so"' -> .*'
has "liborrery$so" share/orrery/platforms/dgx_a100_64.yml
has liborrery-dev include/orrery/orrery.hpp
has liborrery-dev 'lib.*/liborrery\.so -> .*'
has liborrery-dev 'lib.*/pkgconfig/orrery.pc'
has python3-orrery lib/python3/dist-packages/orrery/py.typed
has python3-orrery lib/python3/dist-packages/orrery/abi/types.py
has orrery-doc share/doc/orrery/docs/how-to/python.md
has orrery-doc share/doc/orrery/examples/first_run/run.sh
needs orrery "liborrery$so (= $version)"
needs "liborrery$so" libyaml-0-2
needs "liborrery$so" libigraph3
needs python3-orrery 'python3 (>= 3.9)'

for package in "$work"/debs/*.deb; do
    dpkg-deb -x "$package" "$work/root" || fail "$package: cannot be unpacked"
done
usr=$work/root/usr
cd / || exit 1
said=$("$usr/bin/orrery" run dgx_a100_64 all_reduce_1gb 2>&1 | head -n 1)
[ "$said" = 'job time 12.335 ms on 64 NPUs' ] || fail "the command says: $said"
if python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    said=$(PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$usr/lib/python3/dist-packages python3 -c \
        "import orrery; print(orrery.run('dgx_a100_64', 'all_reduce_1gb').wall_ps, orrery.inputs_folder())" 2>&1)
    [ "$said" = "12335451200 $usr/share/orrery" ] || fail "Python says: $said"
fi
ORRERY_BIN=$usr/bin/orrery "$usr/share/doc/orrery/examples/first_run/run.sh" "$work/out" >"$work/said" 2>&1 || fail "first_run: $(cat "$work/said")"

[ "$failures" -eq 0 ] && echo "packages: as described"
exit $((failures > 0))
