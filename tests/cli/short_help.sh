#!/bin/sh
# What -h prints, of the tool and of every command, is on one screen: 24 lines of 80 columns, which end by naming the
# rest. --help has every option that -h has.
#   short_help.sh TOOL
tool=$1; name=$(basename "$tool"); status=0
wrong() { echo "$name $*"; status=1; }
screen() {  # COMMAND [WORDS]: the size of what -h says
  "$tool" $1 -h > "$scratch/short" && "$tool" $1 --help > "$scratch/full" || wrong "$1 -h: fails"
  awk -v name="$name $1" 'length > 80 { print name " -h: " length " columns: " $0; wrong = 1 }
       END { if (NR > 24) { print name " -h: " NR " lines"; wrong = 1 } exit wrong }' "$scratch/short" || status=1
  tail -n 1 "$scratch/short" | grep -q -- "$2" || wrong "$1 -h: does not end with '$2'"
  for option in $(grep -o '^  \(-[a-z], \)\{0,1\}--[a-z0-9-]*' "$scratch/short" | grep -o -- '--[a-z0-9-]*'); do
    grep -q -- "$option\b" "$scratch/full" || wrong "$1 --help: lacks $option"
  done
}
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
screen '' "manual: man $name\$"
commands=$("$tool" --generate bash | sed -n '/COMP_CWORD == 1/{n;s/.*values="//;s/ --help.*//p;}')
[ "$commands" ] || wrong 'has no commands'
for command in $commands; do
  screen "$command" "^all options: $name $command --help; manual: man $name-$command\$"
done
exit $status
