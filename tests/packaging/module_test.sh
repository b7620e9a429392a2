#!/bin/sh
# `module load` of an installed frugal, by Lmod and by Environment Modules, whichever is there: tools, pages and libcore are
# found, and not after `module unload`. 77: neither is there.
#   module_test.sh BUILD_DIR
set -e
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
cmake --install "$1" --prefix "$scratch/frugal" > /dev/null
cat > "$scratch/session" <<'END_OF_SESSION'
set -e
module use "$1/share/frugal/modulefiles"
module load frugal
[ "$(command -v hw-probe)" = "$1/bin/hw-probe" ]
! command -v man > /dev/null || [ "$(man -w tgn-train-predict)" = "$1/share/man/man1/tgn-train-predict.1" ]
pkg-config --exists frugal
module unload frugal
! command -v hw-probe
END_OF_SESSION
tried=
for init in /usr/share/lmod/lmod/init/bash /usr/share/modules/init/bash; do
  [ -e $init ] || continue
  tried=yes
  bash -c ". $init; . $scratch/session" session "$scratch/frugal" || { echo "$init: no module"; exit 1; }
done
[ "$tried" ] || { echo 'skipped: neither lmod nor environment-modules'; exit 77; }
