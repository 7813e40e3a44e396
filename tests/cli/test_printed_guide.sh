#!/bin/sh
# What the user guide prints as output is what its commands print: test_printed_examples.sh of that page, a
# test of its own so that two processors share the pages.
exec sh "$(dirname "$0")/test_printed_examples.sh" docs/user-guide.md
