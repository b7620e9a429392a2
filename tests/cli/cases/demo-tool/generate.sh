demo-tool --generate json-schema | python3 -c 'import json,sys; print(*json.load(sys.stdin)["$defs"])'
demo-tool --generate=man | head -n 1
demo-tool --generate html
