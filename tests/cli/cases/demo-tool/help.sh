demo-tool --help
demo-tool show --help
demo-tool show --layers --help
