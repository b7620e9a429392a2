#!/bin/bash
# Runs a command as one rank of MPI on each of N "hosts" of this machine: namespaces of network and host name on a
# bridge, their links limited to RATE both ways. Needs root, iproute2 and Open MPI.
#   hosts.sh N RATE COMMAND...         RATE: 1gbit, 5gbit ..., or unlimited
# HOSTS_OPTIONS: more options of mpirun. HOSTS_NUMBER: 0 to 254, of hosts beside others of this machine (0). The outer end
# of host I's link is frugalhNUMBERvI.
set -eu
number=${HOSTS_NUMBER:-0}
subnet=10.83.$number prefix=frugalh$number
if [ "$1" = agent ]; then  # as mpirun's remote shell: agent ADDRESS COMMAND...
  IFS=. read -r _ _ number i <<< "$2"; host=frugalh${number}n$i; shift 2
  exec nsenter --net="/run/netns/$host" unshare --uts sh -c 'hostname "$0"; exec sh -c "$*"' "$host" "$@"
fi
hosts=$1 rate=$2; shift 2
down() {
  for i in $(seq "$hosts"); do  # a namespace's own links go later than the namespace
    ip netns pids "${prefix}n$i" 2> /dev/null | xargs -r kill -9 2> /dev/null || true
    ip link del "${prefix}v$i" 2> /dev/null || true
    ip netns del "${prefix}n$i" 2> /dev/null || true
  done
  ip link del ${prefix}br 2> /dev/null || true
}
down; trap down EXIT
ip link add ${prefix}br type bridge; ip addr add $subnet.254/24 dev ${prefix}br; ip link set ${prefix}br up
addresses=
for i in $(seq "$hosts"); do
  ip netns add "${prefix}n$i"
  ip link add "${prefix}v$i" type veth peer name eth0 netns "${prefix}n$i"
  ip link set "${prefix}v$i" master ${prefix}br up
  ip -n "${prefix}n$i" addr add "$subnet.$i/24" dev eth0
  ip -n "${prefix}n$i" link set eth0 up; ip -n "${prefix}n$i" link set lo up
  addresses=$addresses${addresses:+,}$subnet.$i
  [ "$rate" != unlimited ] || continue  # no queue of ours
  tc qdisc add dev "${prefix}v$i" root tbf rate "$rate" burst 256kb latency 50ms       # towards the host
  tc -n "${prefix}n$i" qdisc add dev eth0 root tbf rate "$rate" burst 256kb latency 50ms  # from the host
done
given=
for name in PATH FRUGAL_PLUGIN_DIR FRUGAL_RANK_TIMEOUT SOURCE_DATE_EPOCH; do [ -z "${!name:-}" ] || given="$given -x $name"; done
# shellcheck disable=SC2086
mpirun --allow-run-as-root --bind-to none --mca mpi_yield_when_idle 1 --host "$addresses" -n "$hosts" \
  --mca plm_rsh_agent "$(readlink -f "$0") agent" --mca btl tcp,self --mca btl_tcp_if_include $subnet.0/24 \
  --mca oob_tcp_if_include $subnet.0/24 \
  $given -x MASTER_ADDR=$subnet.1 -x MASTER_PORT=29511 -x GLOO_SOCKET_IFNAME=eth0 ${HOSTS_OPTIONS:-} "$@"
