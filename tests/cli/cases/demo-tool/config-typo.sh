printf 'rate: 0.5\nlsh:\n  tabels: 7\n' > c.yml
demo-tool show --config c.yml
printf 'no-shuffle: true\n' > d.yml; demo-tool show --config d.yml; demo-tool show --set no-shuffle=false
