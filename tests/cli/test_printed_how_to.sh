#!/bin/sh
# What the how-to pages print as output is what their commands print: test_printed_examples.sh of docs/how-to, a
# test of its own so that two processors share the pages.
cd "$ORRERY_SOURCE_DIR" || exit 1
exec sh "$(dirname "$0")/test_printed_examples.sh" docs/how-to/*.md
