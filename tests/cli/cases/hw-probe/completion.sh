# Shells offer the names of the catalogue, and files where no name fits.
hw-probe --generate bash > c.bash
cat > ask.bash <<'END'
. ./c.bash
ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hw_probe; echo "$*: ${COMPREPLY[*]}"; }
ask hw-probe advise tgn-w
ask hw-probe advise run.j
ask hw-probe advise tgn-wikipedia --machines c
ask hw-probe advise tgn-wikipedia --mach
ask hw-probe advise tgn-wikipedia --order ''
ask hw-probe calibrate --machine th
ask hw-probe calibrate a
END
bash ask.bash
hw-probe --generate fish | grep -c 'tgn-wikipedia'
hw-probe --generate zsh | grep -c 'compadd -- .*tgn-wikipedia.*_files'
