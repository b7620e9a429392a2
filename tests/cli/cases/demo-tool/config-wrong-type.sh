printf '# widths\nlayers: [64, wide]\n' > c.yml
demo-tool show --config c.yml
printf 'rate: [1, 2]\n' > c.yml; demo-tool show --config c.yml
printf 'report: [a, b]\n' > c.yml; demo-tool show --config c.yml
printf 'quiet: True\n' > c.yml; demo-tool show --config c.yml; echo "exit $?"
