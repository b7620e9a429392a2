printf 'rate: 0.5\nlsh:\n  tabels: 7\n' > c.yml
demo-tool show --config c.yml
