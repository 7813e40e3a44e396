#!/bin/sh
# Wrong recommendation models and convolutional networks, and ways to cut and train them that they
# do not have. What is said, and status 2.
set -u

here=$(cd "$(dirname "$0")" && pwd)
. "$here/bad_input/own.sh"
printf 'compute: {peak: 1 TFLOP/s}\n' >>p.yml

