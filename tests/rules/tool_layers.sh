#!/bin/sh
# Inside a tool every #include "tools/TOOL/..." points downward: a folder includes itself and what the table
# (tool_layers.txt, written by tools/CMakeLists.txt) lets it use, never a file beside main.cpp. The folder commands
# is the program, above all others.
#   tool_layers.sh TOOL_LAYERS_TXT SOURCE_DIR
status=0
wrong() { echo "$1"; status=1; }
while IFS=: read -r layer uses; do
  [ "$layer" ] || continue
  tool=${layer%%/*}; folder=${layer#*/}
  [ -d "$2/tools/$layer" ] || wrong "tools/$layer is in the table but not in the tree"
  for used in $(grep -rhoE '^ *# *include *"tools/[^"]*"' "$2/tools/$layer" | cut -d'"' -f2 | sort -u); do
    case ${used#tools/"$tool"/} in
      */*) below=${used#tools/"$tool"/}; below=${below%%/*}
        case " $folder $uses " in *" $below "*) ;; *) wrong "tools/$layer includes $used, which is not below it" ;; esac ;;
      *) wrong "tools/$layer includes $used, which is above it" ;;
    esac
  done
done < "$1"
for folder in "$2"/tools/*/*/; do
  [ -d "$folder" ] || continue
  layer=${folder#"$2"/tools/}; layer=${layer%/}
  case $layer in */commands) continue ;; esac
  grep -q "^$layer:" "$1" || wrong "tools/$layer is not in the table of tools/CMakeLists.txt"
done
exit $status
