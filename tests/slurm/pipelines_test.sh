#!/bin/sh
# examples/pipelines/pipeline.sbatch in a real SLURM of one node: each target as a job, with the results that the test of the
# Makefile asks for. Exit status 77: no SLURM, or, where all else is right, no PyTorch.
#   pipelines_test.sh BIN_DIR SOURCE_DIR
[ "$(id -u)" = 0 ] && command -v slurmctld > /dev/null || { echo 'skipped: no SLURM, or not root'; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
slurm=$(mktemp -d)
trap '"$here/cluster.sh" stop "$slurm"; rm -rf "$slurm"' EXIT
SLURM_CONF=$("$here/cluster.sh" start "$slurm") || exit 1
PIPELINE='sbatch --wait --quiet --output=job.log --open-mode=append pipeline.sbatch -s'
PYTHONPATH=${PYTHONPATH:+$PYTHONPATH:}$(cd "$2" && pwd)/build/python
export SLURM_CONF PIPELINE PYTHONPATH
"$here/../python/pipelines.sh" "$1" "$2" || exit 1
echo 'the pipelines are jobs of SLURM'
"$here/../python/pipelines_pytorch.sh" "$1" "$2"
