# Read by the tests in this folder: starts a SLURM of one node, which ends with the test, and exports SLURM_CONF. `here` is
# this folder; `scratch` is a folder that goes with the test. Exit status 77: no SLURM, or not root.
[ "$(id -u)" = 0 ] && command -v slurmctld > /dev/null || { echo 'skipped: no SLURM, or not root'; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap '"$here/cluster.sh" stop "$scratch/slurm"; rm -rf "$scratch"' EXIT
SLURM_CONF=$("$here/cluster.sh" start "$scratch/slurm") || exit 1
export SLURM_CONF
