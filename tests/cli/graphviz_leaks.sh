# For tests that draw: what Graphviz's plugins keep until the process ends is no leak of ours. Beside what
# LSAN_OPTIONS says already.
LSAN_OPTIONS="${LSAN_OPTIONS:+$LSAN_OPTIONS:}suppressions=$ORRERY_SOURCE_DIR/tests/cli/graphviz.supp:print_suppressions=0"
export LSAN_OPTIONS
