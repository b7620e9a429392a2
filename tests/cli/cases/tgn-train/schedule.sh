# The rate rises and falls by the events of all epochs; other optimisers have no rate by default. More negatives and another
# loss make other models, in two sessions as in one, and on more threads.
tgn-train generate --scale 10 --features 2 -o e.safetensors -q
t() { tgn-train train e.safetensors -q -f --memory-dim 8 --time-dim 8 --epochs 2 --batch-size 100 --no-eval "$@"; }
t -o plain; t -o constant --schedule constant --warm-up 0; tensor-file diff plain constant && echo same
for options in '--weight-decay 0.1' '--schedule linear' '--schedule cosine' '--warm-up 0.5' '--optimizer sgd --learning-rate 0.1' \
  '--negatives 3' '--loss ranking' '--negatives 3 --loss ranking'; do
  t -o other $options && { tensor-file diff plain other > /dev/null || echo "$options: another model"; }
done
t -o again --negatives 3 --loss ranking --threads 3; t -o part --negatives 3 --loss ranking --steps 7 --checkpoint c --checkpoint-every 1
t -o part --negatives 3 --loss ranking --checkpoint c --resume; tensor-file diff other again && tensor-file diff part again && echo same
t -o other --negatives 0
t -o other --loss softmax
t -o other --optimizer adagrad
t -o other --schedule stair
t -o other --warm-up 2
t -o other --weight-decay -1
t -o labels --task node-label --from plain --schedule linear
