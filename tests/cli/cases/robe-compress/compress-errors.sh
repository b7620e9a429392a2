# What cannot be compressed or looked up says why, with its exit status, and leaves no file.
tables() { python3 "$SOURCE_DIR/tests/support/make_tables.py" "$@"; }
try() { robe-compress "$@" > /dev/null; echo "exit $?"; }
tables t.safetensors 8 user:100 day:7
tables wide.safetensors 9 user:10
tables bare.safetensors 8 user:100 --no-counts
try compress missing.safetensors -o x.safetensors
try compress t.safetensors -o t.safetensors
try compress t.safetensors -o x.npz
try compress t.safetensors -o missing/x.safetensors
try compress t.safetensors -o x.safetensors --compression 0
try compress t.safetensors -o x.safetensors --compression 200 --storage f32 --hot-share 0
try compress t.safetensors -o x.safetensors --hot-share 1.5
try compress t.safetensors -o x.safetensors --compression 3 --block 9
try compress t.safetensors -o x.safetensors --compression 3 --hash robe2021 --align
try compress t.safetensors -o x.safetensors --select item
try compress t.safetensors -o - --json
head -c 3000 t.safetensors > cut.safetensors
try compress cut.safetensors -o x.safetensors --compression 5
head -c 3000 t.safetensors | try compress - -o x.safetensors --compression 5
try compress "$golden/v1-raw.safetensors" -o x.safetensors

# Counts.
try compress bare.safetensors -o x.safetensors --compression 5 --hot-share 0.5
robe-compress compress bare.safetensors -o bare.array --compression 12 --quiet --json > /dev/null; echo "exit $?"
robe-compress compress bare.safetensors -o bare.array --compression 12 | tail -1
try compress bare.array -o x.safetensors
printf 'table,row,count\nuser,100,3\n' > c.csv
try compress bare.safetensors -o x.safetensors --counts c.csv
printf 'table,row,count\nuser,1,-3\n' > c.csv
try compress bare.safetensors -o x.safetensors --counts c.csv
printf 'table,count\nuser,3\n' > c.csv
try compress bare.safetensors -o x.safetensors --counts c.csv
try compress t.safetensors -o x.safetensors --counts wide.safetensors
tables behind.safetensors 8 user:100 day:7 --counts-last
cat behind.safetensors | try compress - -o x.safetensors --compression 5
rm behind.safetensors

# Expanding and looking up.
robe-compress compress t.safetensors -o a.safetensors --compression 5 --quiet
try expand t.safetensors -o x.safetensors
try expand a.safetensors -o x.npy
try expand a.safetensors -o x.npz --select 'item*'
try expand a.safetensors -o a.safetensors
try lookup a.safetensors --table usr
try lookup a.safetensors
try lookup t.safetensors --table user
printf '5\n99\n100\n' > ids
try lookup a.safetensors --table user ids -o x.npy
printf '5\nfive\n' > ids
try lookup a.safetensors --table user ids -o x.npy
printf '5\n-1' > ids
try lookup a.safetensors --table user ids
try lookup a.safetensors --table user missing -o x.npy
try lookup a.safetensors --table user t.safetensors -o x.npy
try lookup a.safetensors --table user ids -o - --json
ls
