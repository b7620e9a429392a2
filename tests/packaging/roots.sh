# Minimal roots of Debian 12, and commands in them. Sourced by tests of packages; they end with 77 where no root can be made:
# that takes the user root, mmdebstrap and Debian's mirror.
set -eu
for program in mmdebstrap unshare chroot; do
  command -v $program > /dev/null || { echo "skipped: no $program"; exit 77; }
done
unshare --mount --pid --fork true 2> /dev/null || { echo 'skipped: not root, or not allowed to mount'; exit 77; }
scratch=$(mktemp -d); trap 'rm -rf --one-file-system "$scratch"' EXIT

# new_root NAME [PACKAGES, by commas]: $scratch/NAME, with what every Debian has and these
new_root() {
  mmdebstrap --quiet --variant=minbase ${2:+--include="$2"} bookworm "$scratch/$1" ||
    { echo "skipped: no root of Debian 12 can be made"; exit 77; }
  # Debian's installer does the same. Without it mpirun asks a name server for its own machine, and waits for half a minute.
  printf '127.0.0.1 localhost\n127.0.1.1 %s\n' "$(uname -n)" > "$scratch/$1/etc/hosts"
}

# in_root NAME COMMAND...: by a shell in /root, without this machine's environment; what it mounts or leaves running goes
in_root() {
  root=$scratch/$1; shift
  # shellcheck disable=SC2016
  unshare --mount --pid --fork --kill-child sh -c 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
    mount -t tmpfs tmpfs "$0/tmp" && exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    chroot "$0" sh -c "cd && $1"' "$root" "$*"
}
