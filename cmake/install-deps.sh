#!/bin/sh
# Installs the Debian packages that Orrery is built and tested with. Installs only what is missing,
# and asks for root (sudo) only then. Further packages may be named as arguments.
set -eu

packages="gcc libc6-dev cmake ninja-build libyaml-dev libjansson-dev libprotobuf-c-dev
    protobuf-c-compiler zlib1g-dev libgraphviz-dev libigraph-dev libglpk-dev
    libcminpack-dev libcmocka-dev $*"

is_installed() {
    dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q '^install ok installed$'
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "cmake/install-deps.sh: no apt-get here; install the equivalents of:" $packages >&2
    exit 0 # the configure step says what is really missing
fi

missing=""
for package in $packages; do
    is_installed "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "cmake/install-deps.sh: as root, run: apt-get install$missing" >&2
        exit 1
    fi
    as_root=sudo
fi

echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -q
# shellcheck disable=SC2086 # a list of words
$as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends $missing </dev/null
