#!/bin/sh
# A SLURM on this machine, with everything in one folder: for tests, as root, without systemd and control groups.
#   cluster.sh start FOLDER [N]   prints the SLURM_CONF to use     cluster.sh stop FOLDER
# Without N the machine itself is the one node. With N each node is a network and a UTS namespace of its own on a bridge,
# with iproute2 and util-linux; the name and the subnet of the bridge are in FOLDER/bridge. Debian 12's packages: slurmctld
# (with slurm-client), slurmd, slurm-wlm-basic-plugins (with the plug-in mpi/pmix).
# SLURM_TEST_PORT: the first of the two ports (26817 and 2 more for each bridge there is).
set -eu
folder=$2; nodes=${3:-0}; host=$(hostname -s); subnet=127.0.0
SLURM_CONF=$folder/slurm.conf; export SLURM_CONF

# The daemons write into the folder until they end. A daemon that nobody waited for has no command line any more.
stop() {
  for file in "$folder"/slurmctld.pid "$folder"/slurmd-*.pid; do
    [ -s "$file" ] || continue
    pid=$(cat "$file")
    kill "$pid" 2>/dev/null || continue
    for _ in $(seq 100); do
      grep -q . "/proc/$pid/cmdline" 2>/dev/null || break
      sleep 0.1
    done
    kill -9 "$pid" 2>/dev/null || true
  done
  [ ! -s "$folder/bridge" ] || remove_hosts
}

remove_hosts() {
  read -r bridge subnet < "$folder/bridge"
  for space in $(ip netns list | grep -o "^${bridge}n[0-9]*"); do
    # What still runs on the node ends with it.
    ip netns pids "$space" | xargs -r kill -9 2>/dev/null || true
    ip netns del "$space"
  done
  ip link del "$bridge" 2>/dev/null || true
}

# The first bridge that is not there yet: tests of several checkouts run side by side.
make_bridge() {
  for number in $(seq 0 99); do
    bridge=frugal$number; subnet=10.93.$number
    ip link add "$bridge" type bridge 2>/dev/null || continue
    echo "$bridge $subnet" > "$folder/bridge"
    ip addr add "$subnet.254/24" dev "$bridge"
    ip link set "$bridge" up
    return 0
  done
  echo 'no bridge of network interfaces can be made' >&2
  return 1
}

make_host() {  # I
  space=${bridge}n$1
  ip netns add "$space"
  ip link add "${bridge}v$1" type veth peer name eth0 netns "$space"
  ip link set "${bridge}v$1" master "$bridge" up
  ip -n "$space" addr add "$subnet.$1/24" dev eth0
  ip -n "$space" link set eth0 up
  ip -n "$space" link set lo up
  echo "$subnet.$1 $space" >> "$folder/hosts"
}

# Not `ip netns exec`: that mounts another /sys, without control groups, and slurmd does not start. Open MPI looks names
# up: the node has a file of hosts of its own.
on_host() {  # NAME COMMAND...
  # shellcheck disable=SC2016
  nsenter --net="/run/netns/$1" unshare --uts --mount sh -c \
    'hostname "$1"; mount --bind "$0" /etc/hosts; shift; exec "$@"' "$folder/hosts" "$@"
}

# No munged is needed: one machine, one user. Requeued jobs wait for credentials to expire: 5 s, not 2 minutes.
# What a lost rank left waiting is killed after KillWait: 3 s, not 30.
# Each node has a TmpFS of its own, or two would make one folder of pmix's.
configure() {  # PORT ADDRESS OF THE CONTROLLER
  echo 'CgroupAutomount=no' > "$folder/cgroup.conf"
  cat > "$SLURM_CONF" <<CONF
ClusterName=frugal-test
SlurmctldHost=$host($2)
SlurmctldPort=$1
SlurmdPort=$(($1 + 1))
SlurmUser=root
AuthType=auth/none
CredType=cred/none
AuthInfo=cred_expire=5
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd-%n.log
TmpFS=$folder/tmp-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=2,batch_sched_delay=0
SlurmdParameters=config_overrides
ReturnToService=2
JobRequeue=1
KillWait=3
CONF
}

node() {  # NAME ADDRESS PROCESSORS
  mkdir -p "$folder/spool-$1" "$folder/tmp-$1"
  echo "NodeName=$1 NodeAddr=$2 CPUs=$3 RealMemory=1000 State=UNKNOWN" >> "$SLURM_CONF"
}

start() {
  mkdir -p "$folder/state"
  chmod 755 "$folder" "$folder/state"
  port=${SLURM_TEST_PORT:-26817}
  if [ "$nodes" = 0 ]; then
    configure "$port" "$subnet.1"
    node "$host" "$subnet.1" 2
    names=$host
  else
    make_bridge
    cp /etc/hosts "$folder/hosts"
    configure $((port + 2 + 2 * number)) "$subnet.254"
    for i in $(seq "$nodes"); do
      make_host "$i"
      node "${bridge}n$i" "$subnet.$i" 16
    done
    names=$(seq -s , -f "${bridge}n%g" "$nodes")
  fi
  echo "PartitionName=test Nodes=$names Default=YES MaxTime=INFINITE State=UP" >> "$SLURM_CONF"
  slurmctld -c
  if [ "$nodes" = 0 ]; then slurmd -N "$host"; fi
  for i in $(seq "$nodes"); do on_host "${bridge}n$i" slurmd -N "${bridge}n$i"; done
  for _ in $(seq 150); do
    [ "$(sinfo -h -o %T 2>/dev/null)" != idle ] || { echo "$SLURM_CONF"; return 0; }
    sleep 0.2
  done
  echo "the nodes did not come up: $(tail -n 5 "$folder"/*.log)" >&2
  stop
  return 1
}

"$1"
