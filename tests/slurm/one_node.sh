#!/bin/sh
# A SLURM of this machine alone, with everything in one folder: for tests, as root, without systemd and control groups.
#   one_node.sh start FOLDER   prints the SLURM_CONF to use      one_node.sh stop FOLDER
# SLURM_TEST_PORT: the first of the two ports (26817).
set -eu
folder=$2; host=$(hostname -s); port=${SLURM_TEST_PORT:-26817}
SLURM_CONF=$folder/slurm.conf; export SLURM_CONF

stop() {
  for daemon in slurmd slurmctld; do
    [ ! -s "$folder/$daemon.pid" ] || kill "$(cat "$folder/$daemon.pid")" 2>/dev/null || true
  done
}

# No munged is needed: one machine, one user. Requeued jobs wait for credentials to expire: 5 s, not 2 minutes.
configure() {
  mkdir -p "$folder/state" "$folder/spool"
  chmod 755 "$folder" "$folder/state" "$folder/spool"
  echo 'CgroupAutomount=no' > "$folder/cgroup.conf"
  cat > "$SLURM_CONF" <<CONF
ClusterName=frugal-test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
AuthType=auth/none
CredType=cred/none
AuthInfo=cred_expire=5
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
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
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 RealMemory=1000 State=UNKNOWN
PartitionName=test Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
}

start() {
  configure
  slurmctld -c
  slurmd -N "$host"
  for _ in $(seq 150); do
    [ "$(sinfo -h -o %T 2>/dev/null)" != idle ] || { echo "$SLURM_CONF"; return 0; }
    sleep 0.2
  done
  echo "the node did not come up: $folder/*.log" >&2
  stop
  return 1
}

"$1"
