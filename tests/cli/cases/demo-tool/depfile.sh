printf 'rate: 1\n' > 'c d.yml'
demo-tool show -q --config 'c d.yml' --depfile out.d -o 'my out' 'in#1' in2
cat out.d
