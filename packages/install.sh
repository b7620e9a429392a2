#!/bin/sh
# Installs what packages/debian12.txt lists and this machine lacks; does nothing when all is there.
#   install.sh [long] [bench] [pip] [aarch64]     also the packages marked so
set -eu
list=$(dirname "$0")/debian12.txt
wanted=" $* "
missing=
while read -r package purpose; do
  case $package in '' | '#'*) continue ;; esac
  asked=$([ "$purpose" ] || echo yes)
  for word in $(echo "$purpose" | tr -d '[]'); do
    case $wanted in *" $word "*) asked=yes ;; esac
  done
  [ "$asked" ] || continue
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done < "$list"
[ -n "$missing" ] || exit 0
echo "installing:$missing" >&2
run=
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "install these packages as root, then run again:$missing" >&2; exit 69; }
  run=sudo
fi
# An apt-get that another program holds is waited for; an old package list is refreshed once.
export DEBIAN_FRONTEND=noninteractive
$run apt-get -qq -o DPkg::Lock::Timeout=120 update
# shellcheck disable=SC2086
$run apt-get -qq -y -o DPkg::Lock::Timeout=120 install --no-install-recommends $missing >/dev/null
