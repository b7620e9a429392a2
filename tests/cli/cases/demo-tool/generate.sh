demo-tool --generate bash > c.bash && bash -n c.bash
if command -v zsh > /dev/null; then demo-tool --generate zsh > c.zsh && zsh -n c.zsh; fi
if command -v fish > /dev/null; then demo-tool --generate fish > c.fish && fish -n c.fish; fi
demo-tool --generate json-schema | python3 -c 'import json,sys; print(*json.load(sys.stdin)["$defs"])'
demo-tool --generate=man > page
! command -v man > /dev/null || man --warnings -E UTF-8 -l -Tutf8 -Z page > /dev/null
demo-tool --generate html
