demo-tool show -v 2>&1 > /dev/null
demo-tool show -q
demo-tool work --progress never
