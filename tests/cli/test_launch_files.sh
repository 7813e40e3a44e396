#!/bin/sh
# Launch files of all kinds, alone and together, as their keys are documented, and what they say by a
# written oracle (launch_files/): values, keys that are not understood, contradictions, errors.
here=$(cd "$(dirname "$0")" && pwd)
python3 -c 'import tomllib' 2>/dev/null || { echo "skipped: needs Python 3.11"; exit 77; }
exec python3 "$here/check_launch_files.py" "$ORRERY_BIN" "$here"/launch_files/*.txt
