demo-tool --version | sed 's/ [0-9].*/ VERSION/'
demo-tool --version --json | python3 -c 'import json,sys; print(*json.load(sys.stdin))'
demo-tool --version --jsn
