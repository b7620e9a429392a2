# The sections, in order; values differ between machines.
hw-probe detect | grep -v '^ '
hw-probe detect | sed -n 's/^  usable  *[1-9][0-9]*$/usable: a number/p'
