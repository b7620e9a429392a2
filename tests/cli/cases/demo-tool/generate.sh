demo-tool --generate json-schema | python3 -c 'import json,sys; print(*json.load(sys.stdin)["$defs"])'
demo-tool --generate=man | head -n 1
demo-tool --generate html
demo-tool --generate man show | head -n 9
demo-tool --generate man nothing
demo-tool --generate man show more
demo-tool show -h
