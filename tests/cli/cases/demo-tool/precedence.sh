printf 'seed: 1\nlsh: {tables: 1}\n' > a.yml
printf 'seed: 2\n' > b.yml
seed() { demo-tool show "$@" | grep seed; }
seed --config a.yml
seed --config a.yml --config b.yml
FRUGAL_SEED=3 seed --config b.yml
FRUGAL_SEED=3 seed --config b.yml --set seed=4
FRUGAL_SEED=3 seed --config b.yml --set seed=4 --seed 5
