#!/bin/sh
# The book (README.md, docs/README.md, docs/tutorial.md, docs/how-to, docs/glossary.md): links hold, every option and command that it
# names exists, its pictures are what the command draws, every how-to page is in the contents, and it stays short.
# What it prints as output is compared by test_printed_examples.sh.
set -u

cd "$ORRERY_SOURCE_DIR" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
pages="README.md docs/README.md docs/tutorial.md docs/how-to/*.md"

fail() {
    echo "$*"
    failures=$((failures + 1))
}

cmake/check_docs.sh || fail "links of the pages above"

# ---- options and commands ----

"$ORRERY_BIN" --help | awk '/^commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }' | LC_ALL=C sort >"$work/commands"
{
    "$ORRERY_BIN" schema options
    # Options of every command, of cmake and pkg-config, and those of other simulators that the pages speak of.
    echo --help --color --prefix --preset --build --install --cflags --libs --overlap-param-gather --compute-scale --comm-scale \
        --logging-configuration --logging-folder --nproc --nnodes --micro-batch-size --global-batch-size --seq-length \
        --tensor-model-parallel-size --sequence-parallel --use-distributed-optimizer --recompute-activations --bf \
        --make-vocab-size-divisible-by --swiglu --model --exp-avg-dtype --exp-avg-sq-dtype --first-last-layers-bf --fp \
        --no-build-isolation --num-layers-at-end-in-bf --num-layers-at-start-in-bf --target --use-precision-aware-optimizer
} | grep -oE -- '--[a-z][a-z-]+' | LC_ALL=C sort -u >"$work/options"
# shellcheck disable=SC2086 # one page a word
grep -ohE -- '(^|[^-a-z])--[a-z][a-z-]+' $pages | grep -oE -- '--[a-z][a-z-]+' | LC_ALL=C sort -u |
    LC_ALL=C comm -23 - "$work/options" >"$work/unknown"
[ ! -s "$work/unknown" ] || fail "no command has these options of the book: $(tr '\n' ' ' <"$work/unknown")"
# shellcheck disable=SC2086
grep -ohE '(^|`)orrery [a-z][a-z-]+' $pages | sed 's/.*orrery //' | LC_ALL=C sort -u |
    LC_ALL=C comm -23 - "$work/commands" | grep -vx help >"$work/unknown"
[ ! -s "$work/unknown" ] || fail "there are no such commands: $(tr '\n' ' ' <"$work/unknown")"
# shellcheck disable=SC2086
while read -r command; do
    grep -qE "orrery $command( |\`|$)" $pages || fail "the book does not speak of: orrery $command"
done <"$work/commands"

# ---- pictures, contents ----

docs/pictures/make.sh "$work" || fail "docs/pictures/make.sh failed"
for picture in docs/pictures/*.svg; do
    cmp "$picture" "$work/${picture##*/}" || fail "$picture is not what docs/pictures/make.sh draws"
done
for page in docs/how-to/*.md; do
    grep -qF "(${page#docs/})" docs/README.md || fail "docs/README.md does not name $page"
done

# ---- length, in words as wc counts them, without what commands print ----

# at_most WORDS PAGE...
at_most() {
    most=$1
    shift
    words=$(cat "$@" | awk '/^```/ { on = !on; if (on && $0 == "```") { printed = 1; next } if (!on && printed) { printed = 0; next } } !printed' | wc -w)
    [ "$words" -le "$most" ] || fail "$words words, at most $most: $*"
}
at_most 900 README.md
for page in docs/how-to/*.md; do at_most 1050 "$page"; done
# shellcheck disable=SC2086
at_most 27500 $pages docs/glossary.md
longest=$(LC_ALL=C.UTF-8 wc -L <CHANGELOG.md)
[ "$longest" -le 200 ] || fail "CHANGELOG.md: a line of $longest characters, at most 200"

[ "$failures" -eq 0 ] && echo "the book: up to date"
exit $((failures > 0))
