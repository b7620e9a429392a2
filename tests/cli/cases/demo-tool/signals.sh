# A command that does not ask for checkpoints dies of a signal as every program does.
demo-tool wait & pid=$!
while ! [ -e waiting ] && kill -0 $pid 2> /dev/null; do :; done
kill -TERM $pid
wait $pid 2> /dev/null; echo $?
