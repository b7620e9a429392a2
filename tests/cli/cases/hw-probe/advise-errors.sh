cat > good.yaml <<'Y'
title: t
date: d
host: {f32-gflops: 1, level-bytes: [1], level-gb-per-s: [1], level-ns: [1], level-in-flight: [1]}
Y
cat > work.yaml <<'Y'
title: t
epoch-samples: 1
batch: 1
stages: [train]
train: {sample-flop: 1}
Y
advise() { hw-probe advise "$@"; echo "status $?"; }
advise tgn-wikipedia-1O 2>&1 | sed 's/; expected.*//'
advise work.yaml --machines a10 2>&1 | sed 's/; expected.*//'
sed 's/sample-flop/sample-flops/' work.yaml > typo.yaml; advise typo.yaml
sed 's/batch: 1/batch: many/' work.yaml > word.yaml; advise word.yaml
sed '/batch/d' work.yaml > missing.yaml; advise missing.yaml
echo 'estimates: [nothing]' | cat work.yaml - > estimates.yaml; advise estimates.yaml
sed 's/level-ns: .1./level-ns: [1, 2]/' good.yaml > levels.yaml; advise work.yaml --machines levels.yaml
echo 'price: 1' | cat good.yaml - > price.yaml; advise work.yaml --machines price.yaml
echo '{"figures": {}}' > bench.json; advise work.yaml --machines bench.json
sed 's/stages: .*/stages: ["tr\\eain"]/; /^train:/d' work.yaml > name.yaml; advise name.yaml
sed 's/stages: .*/stages: [train, train]/' work.yaml > twice.yaml; advise twice.yaml
sed 's/stages: .*/stages: [train, exchange]/' work.yaml > clash.yaml; advise clash.yaml
sed 's/stages: .*/stages: [train, ""]/' work.yaml > empty.yaml; advise empty.yaml
advise work.yaml --machines none.json
advise work.yaml --machines good.yaml --format flags --calibration none
advise work.yaml --machines good.yaml,good.yaml --format slurm --calibration none
advise work.yaml --machines good.yaml --epochs 3 --until auc=0.9
advise work.yaml --machines good.yaml --until auc=0.9
advise work.yaml --machines good.yaml --predict
echo 'tool: foo' | cat work.yaml - > tool.yaml; advise tool.yaml
sed 's/sample-flop: 1/sample-flop: 1e20/' work.yaml > years.yaml; advise years.yaml --machines good.yaml --format slurm --calibration none
echo 'train: fast' > e.yaml; advise work.yaml --machines good.yaml --calibration e.yaml
# A log by another name, and two formats at once.
echo '{}' > metrics; hw-probe advise ./metrics; echo "exit $?"; hw-probe advise amazon-670k --machines ./metrics; echo "exit $?"
hw-probe advise amazon-670k --machines laptop-7840u --format flags --json; echo "exit $?"; hw-probe detect --format env --json; echo "exit $?"
