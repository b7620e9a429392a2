#!/bin/sh
# Writes the manual pages of a tool into a folder, NAME.1 and for each command NAME-COMMAND.1, and removes the pages of
# commands that it no longer has.
#   man_pages.sh TOOL FOLDER [EMULATOR...]
set -e
tool=$1; folder=$2; name=$(basename "$tool")
shift 2
mkdir -p "$folder"
"$@" "$tool" --generate man > "$folder/$name.1.new"
commands=$(tr -d '\\' < "$folder/$name.1.new" | sed -n "s/^\.BR $name-\([a-z-]*\) (1)\$/\1/p")
[ "$commands" ] || { echo "$name.1 names no command"; exit 1; }
for command in $commands; do "$@" "$tool" --generate man "$command" > "$folder/$name-$command.1.new"; done
rm -f "$folder/$name.1" "$folder/$name"-*.1
for page in "$folder/$name"*.1.new; do mv "$page" "${page%.new}"; done
