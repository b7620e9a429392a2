#!/bin/sh
# examples/pipelines/pipeline.sbatch in a real SLURM of one node: each target as a job, with the results that the test of the
# Makefile asks for. Exit status 77: no SLURM, or, where all else is right, no PyTorch.
#   pipelines_test.sh BIN_DIR SOURCE_DIR
. "$(dirname "$0")/own_cluster.sh"
PIPELINE='sbatch --wait --quiet --output=job.log --open-mode=append pipeline.sbatch -s'
PYTHONPATH=${PYTHONPATH:+$PYTHONPATH:}$(cd "$2" && pwd)/build/python
export PIPELINE PYTHONPATH
"$here/../python/pipelines.sh" "$1" "$2" || exit 1
echo 'the pipelines are jobs of SLURM'
"$here/../python/pipelines_pytorch.sh" "$1" "$2"
