# --seed, --precision and --device are unknown where they would do nothing, from whatever place they come; their
# environment variables are ignored there. demo-tool show has all three, end has none.
for option in '--seed 1' '--precision f32' '--device cpu' '--resume' '--sed 1'; do
  demo-tool end ok $option; echo $?
done
demo-tool end ok --set seed=1; echo $?
printf 'threads: 1\nseed: 1\n' > c.yml
demo-tool end ok --config c.yml; echo $?
demo-tool show --config c.yml | grep seed
FRUGAL_SEED=x FRUGAL_PRECISION=x FRUGAL_DEVICE=cuda demo-tool end ok; echo $?
demo-tool end ok --print-config | grep -c 'seed\|precision\|device'
demo-tool --generate man | grep -A3 'fB..seed' | tail -2
