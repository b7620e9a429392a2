# What --print-config prints is a valid --config that gives the same run.
demo-tool show --threads 2 --layers 64,32 --set name='yes: "1e3"' --no-shuffle --betas 0.5,1e-3 --print-config -- - 'a b' > c.yml
cat c.yml
demo-tool show --config c.yml
demo-tool show --config c.yml --print-config | cmp - c.yml
