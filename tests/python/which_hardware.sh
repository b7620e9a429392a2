#!/bin/sh
# examples/which-hardware answers its three questions on the small data sets, from runs that it makes.
#   which_hardware.sh BIN_DIR SOURCE_DIR
set -eu
PATH=$(cd "$1" && pwd):$PATH; export PATH
log=$(mktemp); trap 'rm -f "$log"' EXIT
HOME=/nonexistent XDG_CONFIG_HOME=/nonexistent "$2/examples/which-hardware/questions.sh" > "$log" 2>&1 || { cat "$log"; exit 1; }
# says TIMES PATTERN
says() { [ "$(grep -c -e "$2" "$log")" = "$1" ] || { echo "expected $1 times: $2"; cat "$log"; exit 1; }; }
says 4 '^== .*?'
says 2 'Measured by the log: '              # texts and nouns; predictions were not measured
says 1 '^Measured by the log: 8 epochs in ' # however many the goal takes:
says 1 '^[2-7] epochs of 21966 samples'
says 3 '^here  *[0-9]'
says 2 '^Not measured: gnn-sample has not run yet'
says 1 '^#SBATCH --cpus-per-task=32$'
says 1 '^#SBATCH --time=[0-9]*$'
says 1 '^100 epochs of 196615 samples'
says 1 '"samples": 7342'
