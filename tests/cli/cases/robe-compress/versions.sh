# Files of another version, kind or tool, and values that are nearly right, are refused, not guessed.
robe-compress generate --shape small --samples 300 -o d.tsv -q
robe-compress train d.tsv -o m.safetensors -q --dim 4 --bottom 8 --top 8 --compression 4
robe-compress expand m.safetensors -o t.safetensors -q
robe-compress compress t.safetensors -o a.safetensors -q --compression 4
change() { LC_ALL=C sed "s/$2/$3/" $1.safetensors > changed.safetensors; cmp -s $1.safetensors changed.safetensors && echo same; }
e() { robe-compress eval changed.safetensors d.tsv -q; echo "exit $?"; }
x() { robe-compress expand changed.safetensors -o out -q; echo "exit $?"; }
change m '"frugal.version":"1"' '"frugal.version":"9"'; e; x
change m '"frugal.kind":"model"' '"frugal.kind":"yodel"'; e; x
change m '\\"columns\\":[0-9][0-9]' '\\"columns\\":-1'; e
change a '"frugal.version":"1"' '"frugal.version":"7"'; x
change a '"frugal.kind":"embedding"' '"frugal.kind":"minibatch"'; x
change t '"frugal.version":"1"' '"frugal.version":"7"'
robe-compress compress changed.safetensors -o out -q --compression 4; echo "exit $?"
ls
