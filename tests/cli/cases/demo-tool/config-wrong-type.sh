printf '# widths\nlayers: [64, wide]\n' > c.yml
demo-tool show --config c.yml
