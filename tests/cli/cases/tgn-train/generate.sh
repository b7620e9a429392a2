# Streams depend on options and seed, not on threads; shapes scale; what makes no sense is refused.
tgn-train generate -o small.safetensors
tensor-file info small.safetensors | grep -v 'history\|stored'
tgn-train generate -o one.safetensors --threads 1 -q
tensor-file diff small.safetensors one.safetensors && echo 'same on one thread'
tgn-train generate -o other.safetensors --seed 1 -q
tensor-file diff -q small.safetensors other.safetensors; echo "exit $?"
tgn-train generate --shape wikipedia --scale 100 --feature-type bf16 -o w.safetensors
tgn-train generate --shape twitter --scale 20000 -o t.zst --json
tgn-train generate --nodes 50 --sources 0 --events 500 --features 0 --recurrence 0 --distinct-times 7 --duration 100 -o x.safetensors
tgn-train generate -q | tensor-file info - | grep -c features
for wrong in '--shape large' '--scale 0.5' '--nodes 5000000000' '--sources 1200' '--events 0' '--exponent 1' \
    '--exponent nan' '--recurrence 2' '--features 70000' '--feature-type f64' '--distinct-times 30000' \
    '--distinct-times 50 --duration 49'; do
  # shellcheck disable=SC2086
  tgn-train generate -o e $wrong; echo "exit $?"
done
tgn-train generate -o /dev/full; echo "exit $?"
tgn-train generate -o no/where; echo "exit $?"
ls
