demo-tool show --json -o -; echo $?
demo-tool show -q -o - | od -c
