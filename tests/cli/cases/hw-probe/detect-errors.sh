hw-probe detect --sysroot /no/such/folder; echo "status $?"
echo a > file; hw-probe detect --sysroot file; echo "status $?"
hw-probe detect --format yaml; echo "status $?"
hw-probe detect --diff only-one.json; echo "status $?"
hw-probe detect --diff a.json b.json; echo "status $?"
echo '{"a": 1}' > a.json
hw-probe detect --diff a.json a.json; echo "status $?"
hw-probe detect --frobnicate; echo "status $?"
hw-probe detect > /dev/full; echo "status $?"
