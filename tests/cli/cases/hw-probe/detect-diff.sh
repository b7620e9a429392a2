python3 "$SOURCE_DIR/tests/machines/machine.py" unpack "$SOURCE_DIR/tests/machines/slurm-step.machine" step
hw-probe detect --sysroot step --json > a.json
rm step/proc/self/environ
echo "0-31" > step/sys/devices/system/cpu/online
printf 'Cpus_allowed_list:\t0-7\n' > step/proc/self/status
hw-probe detect --sysroot step --json > b.json
hw-probe detect --diff a.json a.json; echo "same: status $?"
hw-probe detect --diff a.json b.json; echo "different: status $?"
