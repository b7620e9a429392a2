# No terminal: no bar and, for so short a task, no line. On a terminal: a bar that is wiped at the end.
demo-tool work
on_terminal() { script -qec "demo-tool work $*" /dev/null | tr -d '\r' | tr '\033' '@'; }
number() { tr '@' '\n' | grep '#' | head -n 1 | sed 's/##* */BAR/; s/[0-9][0-9.]*[kM]*/N/g'; }
TERM=xterm on_terminal | number
TERM=xterm NO_COLOR=1 on_terminal | number
TERM=xterm on_terminal --color never | tail -n 1
TERM=dumb on_terminal
TERM=xterm on_terminal --quiet
