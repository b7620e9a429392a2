demo-tool show -q -o out && touch -d 2001-02-03 out
demo-tool show -q -o out --if-changed && date -u -r out +%Y
