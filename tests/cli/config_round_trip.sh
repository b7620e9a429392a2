#!/bin/sh
# What --print-config writes, --config reads: to the same configuration, for each command of the tool.
#   config_round_trip.sh TOOL
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
status=0
commands=$("$1" --help | sed -n '/^Commands:/,/^Options:/s/^  \([a-z-]*\) .*/\1/p')
[ "$commands" ] || { echo "no commands found"; exit 1; }
for command in $commands; do
  if "$1" "$command" --print-config > "$scratch/1" && "$1" "$command" --config "$scratch/1" --print-config > "$scratch/2" &&
    diff "$scratch/1" "$scratch/2"; then continue; fi
  echo "$command: its own configuration is not taken as it is"; status=1
done
exit $status
