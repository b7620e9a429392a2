# A configuration file of a stranger replaces no file that is there; the command line may.
echo mine > mine
for key in metrics report depfile; do
  printf '%s: mine\nforce: true\n' $key > run.yml
  demo-tool show -q --config run.yml -o out; echo $? "$(cat mine)"
done
printf 'metrics: m.jsonl\nreport: r.html\ndepfile: out.d\n' > run.yml
demo-tool show -q --config run.yml -o out && ls
demo-tool show -q --config run.yml -o out; echo $?
demo-tool show -q --config run.yml -o out --force && echo replaced
demo-tool show -q --config run.yml -o out --set force=true && echo replaced
demo-tool show -q --config run.yml -o out --metrics m.jsonl --report r.html --depfile out.d && echo replaced
# A page is added to, and devices lose nothing.
printf 'metrics: /dev/null\nreport: r.html\nreport-append: true\n' > run.yml
demo-tool show -q --config run.yml -o out && grep -c '<article' r.html
# A folder for TensorBoard that cannot be made says why.
touch plain
demo-tool show -q --tensorboard plain/folder -o out; echo $?
