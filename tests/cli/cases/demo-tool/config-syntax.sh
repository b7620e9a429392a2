printf 'rate: 0.5\nlayers: [1,\n' > c.yml
demo-tool show --config c.yml
