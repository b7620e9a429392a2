# Rows by id: into files of every kind, through pipes, from text and tensors.
python3 "$SOURCE_DIR/tests/support/make_tables.py" tables.safetensors 4 user:2000 day:7
robe-compress compress tables.safetensors -o array.safetensors --compression 10 --quiet
robe-compress expand array.safetensors -o all.safetensors --quiet
printf '1999\n0\n7\r\n 7 \n' > ids.txt
robe-compress lookup array.safetensors --table user ids.txt -o rows.npy; echo "exit $?"
tensor-file info rows.npy
for id in 1999 0 7 7; do tensor-file cat all.safetensors --tensor user --rows $id:$((id + 1)); done | grep -v '#' > expected
tensor-file cat rows.npy | grep -v '#' | cmp - expected && echo rows of npy
robe-compress lookup array.safetensors --table user < ids.txt | tensor-file cat - | grep -v '#' | cmp - expected && echo rows of a pipe
robe-compress lookup array.safetensors --table user ids.txt -o rows.safetensors.zst --json | grep '"rows"'
tensor-file cat rows.safetensors.zst --tensor user | cmp - expected && echo rows of a tensor file

# Ids as tensors; all rows of a table are its expansion.
robe-compress lookup array.safetensors --table day --dtype bf16 -o day.npz - <<'END'
6
END
echo "exit $?"
seq 0 1999 | robe-compress lookup array.safetensors --table user - -o whole.safetensors --quiet
robe-compress expand array.safetensors --select user -o user.safetensors --quiet
tensor-file diff whole.safetensors user.safetensors && echo all rows
tensor-file cat tables.safetensors --tensor day.counts --format npy -o ids.npy
robe-compress lookup array.safetensors --table user ids.npy -o t.safetensors; echo "exit $?"
cat ids.npy > /dev/null; tensor-file convert ids.npy ids.tzs
robe-compress lookup array.safetensors --table user --ids-format tensors - -o u.safetensors < ids.tzs
tensor-file diff t.safetensors u.safetensors && echo tensors from a pipe
: | robe-compress lookup array.safetensors --table day - -o none.npy; tensor-file info none.npy

# Answers come while the ids are still coming.
mkfifo asks
robe-compress lookup array.safetensors --table day - -o - < asks > answers &
exec 3> asks
echo 3 >&3
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ -s answers ] && break; sleep 0.1; done
[ -s answers ] && echo answered before the end
exec 3>&-
wait
tensor-file verify answers

# Categories of a model's data: rows follow their frequency, 0 is for the rest.
{ echo y,c,x; for c in b a b d b a; do echo "1,$c,0.5"; echo "0,$c,0.1"; done; } > d.csv
robe-compress train d.csv -o m --method full --dim 4 --top 4 -q
printf 'd\nb\nnever\na\r\n' | robe-compress lookup m --table c --ids-format categories - -o by-name.npy --json | grep -E '"(rows|unknown)"'
printf '3\n1\n0\n2\n' | robe-compress lookup m --table c - -o by-row.npy
cmp by-name.npy by-row.npy && echo rows of categories
robe-compress lookup array.safetensors --table day --ids-format categories ids.txt -o x.npy; echo "exit $?"
