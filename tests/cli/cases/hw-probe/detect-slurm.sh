# Lines for sbatch: what the process may use.
taskset -c 0 hw-probe detect --format slurm | sed 's/--mem=[1-9][0-9]*M/--mem=...M/'
