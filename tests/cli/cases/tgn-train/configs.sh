# Every configuration shipped for this tool is one that it understands and trains with.
awk 'BEGIN { for (e = 0; e < 400; ++e) print e * 7 % 11 "," 11 + e % 5 "," 3 * e "," (e % 3 == 0) "," e % 2 }' > e.csv
tgn-train import e.csv -o e.safetensors -q
for config in $(grep -L 'task: node-label' $(grep -l 'tgn-train train' "$SOURCE_DIR"/configs/*.yaml)); do
  tgn-train train e.safetensors -o m --config "$config" --epochs 1 --steps 2 -q || echo "$(basename "$config"): exit $?"
  printf '%s ' "$(basename "$config" .yaml)"
  tgn-train eval m e.safetensors --no-baselines --ranks none --json | grep '"parameters"'
done
tgn-train train e.safetensors -o m --config "$SOURCE_DIR/configs/wikipedia-tgn.yaml" --epochs 1 --steps 2 -q
for config in $(grep -l 'task: node-label' "$SOURCE_DIR"/configs/*.yaml); do
  tgn-train train e.safetensors --from m -o l --config "$config" --epochs 1 -q || echo "$(basename "$config"): exit $?"
  printf '%s ' "$(basename "$config" .yaml)"
  tgn-train eval l e.safetensors --json | grep '"test_labelled"'
done
