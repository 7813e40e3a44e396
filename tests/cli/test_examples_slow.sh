#!/bin/sh
# The examples that take minutes, as test_examples.sh says: with ORRERY_LONG=1. Tests of their own run them too.
[ -n "${ORRERY_LONG:-}" ] || { echo "ORRERY_LONG=1 runs the examples that take minutes"; exit 77; }
exec sh "$ORRERY_SOURCE_DIR/tests/cli/test_examples.sh" slow
