# A configuration that comes with the programs is found from any folder; one in this folder goes before it.
shown() { robe-compress train a.csv -o m --config configs/dlrm-kaggle.yaml --print-config | grep -E '^(batch-size|dim):'; }
shown | wc -l; mkdir configs; echo 'batch-size: 7' > configs/dlrm-kaggle.yaml; shown
robe-compress train a.csv -o m --config configs/none.yaml; echo "exit $?"
