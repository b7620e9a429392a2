# Loads the completions into bash and asks them what they would offer.
demo-tool --generate bash > c.bash
cat > ask.bash <<'END'
. ./c.bash
ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _demo_tool; echo "$*: ${COMPREPLY[*]}"; }
ask demo-tool s
ask demo-tool show --la
ask demo-tool show --loss ''
ask demo-tool show --loss =
ask demo-tool show --loss = s
ask demo-tool show -
ask demo-tool --generate ''
ask demo-tool show a.txt
END
bash ask.bash
