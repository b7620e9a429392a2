# Affinity and OMP_NUM_THREADS limit what is usable.
taskset -c 0 hw-probe detect --format env | grep CPUS_USABLE
OMP_NUM_THREADS=1 hw-probe detect --format env | grep CPUS_USABLE
OMP_NUM_THREADS=1 hw-probe detect | grep OMP
