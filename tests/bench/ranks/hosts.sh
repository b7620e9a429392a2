#!/bin/bash
# Runs a command as one rank of MPI on each of N "hosts" of this machine: namespaces of network and host name on a
# bridge, their links limited to RATE both ways. Needs root, iproute2 and Open MPI.
#   hosts.sh N RATE COMMAND...         RATE: 1gbit, 5gbit ..., or unlimited
# HOSTS_OPTIONS: more options of mpirun.
set -eu
subnet=10.83.0 prefix=frugal
if [ "$1" = agent ]; then  # as mpirun's remote shell: agent ADDRESS COMMAND...
  host=$prefix${2##*.}; shift 2
  exec nsenter --net="/run/netns/$host" unshare --uts sh -c 'hostname "$0"; exec sh -c "$*"' "$host" "$@"
fi
hosts=$1 rate=$2; shift 2
down() {
  for i in $(seq "$hosts"); do  # a namespace's own links go later than the namespace
    ip link del "${prefix}v$i" 2> /dev/null || true
    ip netns del "$prefix$i" 2> /dev/null || true
  done
  ip link del ${prefix}br 2> /dev/null || true
}
down; trap down EXIT
ip link add ${prefix}br type bridge; ip addr add $subnet.254/24 dev ${prefix}br; ip link set ${prefix}br up
addresses=
for i in $(seq "$hosts"); do
  ip netns add "$prefix$i"
  ip link add "${prefix}v$i" type veth peer name eth0 netns "$prefix$i"
  ip link set "${prefix}v$i" master ${prefix}br up
  ip -n "$prefix$i" addr add "$subnet.$i/24" dev eth0
  ip -n "$prefix$i" link set eth0 up; ip -n "$prefix$i" link set lo up
  addresses=$addresses${addresses:+,}$subnet.$i
  [ "$rate" != unlimited ] || continue  # no queue of ours
  tc qdisc add dev "${prefix}v$i" root tbf rate "$rate" burst 256kb latency 50ms       # towards the host
  tc -n "$prefix$i" qdisc add dev eth0 root tbf rate "$rate" burst 256kb latency 50ms  # from the host
done
given=
for name in PATH FRUGAL_PLUGIN_DIR SOURCE_DATE_EPOCH; do [ -z "${!name:-}" ] || given="$given -x $name"; done
# shellcheck disable=SC2086
mpirun --allow-run-as-root --bind-to none --mca mpi_yield_when_idle 1 --host "$addresses" -n "$hosts" \
  --mca plm_rsh_agent "$(readlink -f "$0") agent" --mca btl tcp,self --mca btl_tcp_if_include $subnet.0/24 \
  --mca oob_tcp_if_include $subnet.0/24 \
  $given -x MASTER_ADDR=$subnet.1 -x MASTER_PORT=29511 -x GLOO_SOCKET_IFNAME=eth0 ${HOSTS_OPTIONS:-} "$@"
