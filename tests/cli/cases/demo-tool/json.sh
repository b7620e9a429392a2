demo-tool show --layers 64,32 --json
