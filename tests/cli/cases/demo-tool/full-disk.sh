demo-tool show > /dev/full; echo $?
demo-tool --help > /dev/full; echo $?
demo-tool show --json > /dev/full
