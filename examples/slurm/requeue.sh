# shellcheck shell=bash
# Sourced by the templates: `step ARGUMENTS OF srun...` runs the job's one step and ends the job with its status. Where
# another run can go on from the checkpoint, the job goes back into the queue first.
#   MOST_RESTARTS: at most so many times (20).
set -u

# The last job of an array has the number of the whole array, so an array's jobs are named by both numbers.
job=$SLURM_JOB_ID
[ -z "${SLURM_ARRAY_TASK_ID:-}" ] || job=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID

# At the limit SLURM ends the script together with its step, so nothing there could see status 75. Therefore B: of
# --signal sends USR1 to the script, and earlier; the script waits in `wait`, which a signal interrupts, not in srun.
limit=
trap 'limit=near; scancel --signal=TERM "$job"' USR1  # TERM goes to the steps, not to this script

step() {
  # srun does not inherit --cpus-per-task from the batch script since SLURM 22.05: say it again.
  srun --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" "$@" &
  local srun=$! status
  wait "$srun"; status=$?
  while [ "$status" = $((128 + $(kill -l USR1))) ]; do  # the trap ended that wait, the step goes on
    wait "$srun"; status=$?
  done

  # 75: stopped at a checkpoint. Without the limit somebody else stopped it, who does not want it to start again.
  # 137, 143: a rank or its node was lost, and srun ended the others; 141: one of the others wrote to the lost one.
  case $status in
    75) [ "$limit" ] || exit 75 ;;
    137 | 141 | 143) ;;
    *) exit "$status" ;;
  esac
  if [ "${SLURM_RESTART_COUNT:-0}" -ge "${MOST_RESTARTS:-20}" ]; then
    echo "not started again: ${SLURM_RESTART_COUNT:-0} restarts, MOST_RESTARTS is ${MOST_RESTARTS:-20}" >&2
    exit "$status"
  fi
  scontrol requeue "$job"
  exit "$status"
}
