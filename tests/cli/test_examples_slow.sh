#!/bin/sh
# The examples that take long, as test_examples.sh says.
exec sh "$ORRERY_SOURCE_DIR/tests/cli/test_examples.sh" slow
