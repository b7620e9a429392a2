# A full disk is an error (74); neither that nor a kill leaves anything half-written.
python3 "$SOURCE_DIR/tests/support/make_tables.py" t.safetensors 16 user:4000
robe-compress compress t.safetensors -o a.safetensors --compression 3 --hot-share 0 --quiet; echo "exit $?"
seq 0 999 > ids
for command in "compress t.safetensors --compression 2 --hot-share 0" "expand a.safetensors" \
  "lookup a.safetensors ids"; do
  # shellcheck disable=SC2086
  robe-compress $command -o /dev/full 2>&1 >/dev/null | sed 's/.*robe-compress/robe-compress/'
  for name in x.safetensors x.npy; do
    case $command-$name in compress*npy) continue ;; esac
    # shellcheck disable=SC2086
    (ulimit -f 16; robe-compress $command -o $name --quiet; echo "exit $?")
  done
done
mkfifo asks
robe-compress lookup a.safetensors - -o rows.tzs < asks &
exec 3> asks
seq 0 999 >&3
sleep 0.2
kill -9 $!
{ wait; } 2>/dev/null
exec 3>&-
ls
