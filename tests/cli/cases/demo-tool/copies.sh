SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=4 demo-tool show -q -o out; echo $?
SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=4 demo-tool show -q -o out; echo $?
SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=4 demo-tool show -q -o -; echo $?
SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=4 demo-tool part --shard auto; echo $?
demo-tool part --shard 3/3
