# Questions about what may happen: answered, never learnt.
awk 'BEGIN { srand(5); for (e = 0; e < 600; ++e) { u = int(rand() * 12); print u "," 12 + (u * 7 + int(rand() * 3)) % 9 "," e + 100 } }' > e.csv
tgn-train import e.csv -o e.safetensors -q
tgn-train train e.safetensors -q --memory-dim 8 --time-dim 8 --new-nodes 0 --epochs 3 --learning-rate 0.01 --batch-size 20 --pair-features -o m
q() { tgn-train predict m "$@" --history e.safetensors -q; }
for at in 700 710 720; do echo "3,15,$at"; done > three
q three > learnt; q three --query > asked; head -n 1 three | q - > first
head -n 1 asked | diff - first && echo 'the first is scored alike'
cmp -s learnt asked || echo 'later ones are not learnt'
# Ranks among all that were destinations, and the best of them.
for d in 12 13 14 15 16 17 18 19 20; do echo "3,$d,700"; done > all; q all --query --rank > ranks; q all --query > scores
cut -d, -f1-4 ranks | diff - scores && echo 'scores with ranks: same'
sort -t, -k4,4gr ranks | awk -F, '{ print $5 }' | tr '\n' ' '; echo
q three --query --top-k 4 | head -n 4 > best; sort -t, -k4,4gr ranks | head -n 4 | diff - best && echo 'the best four'
printf 'from,to,time\n3,15,700\n' | q - --query --rank | sed 's/,0\.[0-9e-]*,[0-9.]*$/,P,R/'
q three --query --top-k 1 --answers json | head -n 1 | sed 's/"score":[0-9.e-]*/"score":P/; s/"destination":[0-9]*/"destination":D/'
# The same from a state, of which destinations are known as well.
echo 3,15,700 | tgn-train predict m --history e.safetensors --save-state st -q > /dev/null
echo 3,99,700 | tgn-train predict m --state st --query --top-k 40 -q | wc -l
for wrong in '--rank' '--top-k 3' '--query --rank --top-k 3' '--query --save-state st' '--query --top-k -1'; do q three $wrong > /dev/null; echo "exit $?"; done
printf '3,15,710\n3,15,700\n' | q - --query > /dev/null; echo "exit $?"
