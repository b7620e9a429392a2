#!/bin/sh
# What -h prints, of the tool and of every command, is on one screen: 24 lines of 80 columns, which end by naming the
# rest. --help has every option that -h has. The examples of --help are commands of these tools with options that exist.
#   short_help.sh TOOL SOURCE_DIR
tool=$(realpath "$1"); source=$(realpath "$2"); name=$(basename "$tool"); status=0
wrong() { printf '%s\n' "$name $*"; status=1; }
screen() {  # COMMAND [WORDS]: the size of what -h says
  "$tool" $1 -h > "$scratch/short" && "$tool" $1 --help > "$scratch/full" || wrong "$1 -h: fails"
  awk -v name="$name $1" 'length > 80 { print name " -h: " length " columns: " $0; wrong = 1 }
       END { if (NR > 24) { print name " -h: " NR " lines"; wrong = 1 } exit wrong }' "$scratch/short" || status=1
  tail -n 1 "$scratch/short" | grep -q -- "$2" || wrong "$1 -h: does not end with '$2'"
  for option in $(grep -o '^  \(-[a-z], \)\{0,1\}--[a-z0-9-]*' "$scratch/short" | grep -o -- '--[a-z0-9-]*'); do
    grep -q -- "$option\b" "$scratch/full" || wrong "$1 --help: lacks $option"
  done
}
# Programs for the examples: each tool prints its configuration instead of working, launchers start what they are
# given, and others only read their input.
make_programs() {
  mkdir "$scratch/bin" "$scratch/work"
  ln -s "$source/configs" "$scratch/work/configs"
  : > "$scratch/work/best.yaml"  # of tune
  for one in "$(dirname "$tool")"/*; do
    cat > "$scratch/bin/$(basename "$one")" << END
#!/bin/sh
echo >> "$scratch/calls"
"$one" "\$@" --print-config > /dev/null 2> "$scratch/error.\$\$" ||
  { read -r line < "$scratch/error.\$\$"; echo "\$line" >> "$scratch/errors"; }
END
  done
  for one in mpirun srun; do
    printf '#!/bin/sh\nwhile [ $# != 0 ] && ! [ -f "%s/bin/$1" ]; do shift; done\n"$@"\n' "$scratch" > "$scratch/bin/$one"
  done
  for one in awk cat consumer jq producer python3 sbatch seq tail tee zcat zstd; do
    printf '#!/bin/sh\nwhile read -r line; do :; done\n' > "$scratch/bin/$one"
  done
  chmod +x "$scratch/bin"/*
}
examples() {  # COMMAND: runs the examples of its --help, which screen() has written
  sed -n '/^Examples:$/,$s/^  \([^ ].*\)/\1/p' "$scratch/full" > "$scratch/examples"
  [ -s "$scratch/examples" ] || wrong "$1 --help: has no examples"
  while IFS= read -r example; do
    rm -f "$scratch/calls" "$scratch/errors"
    (cd "$scratch/work" && PATH=$scratch/bin /bin/sh -c "$example" > /dev/null 2>> "$scratch/errors" < /dev/null)
    [ -e "$scratch/calls" ] || wrong "$1 --help: no tool is in the example '$example'"
    [ ! -s "$scratch/errors" ] || wrong "$1 --help: '$example': $(cat "$scratch/errors")"
  done < "$scratch/examples"
}
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
make_programs
screen '' "manual: man $name\$"
commands=$("$tool" --generate bash | sed -n '/COMP_CWORD == 1/{n;s/.*values="//;s/ --help.*//p;}')
[ "$commands" ] || wrong 'has no commands'
for command in $commands; do
  screen "$command" "^all options: $name $command --help; \(manual: \)\{0,1\}man $name-$command\$"
  examples "$command"
done
exit $status
