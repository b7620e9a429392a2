# Features and numbers to predict are stored as 32-bit floats: what they lose is said.
printf 'source,destination,time,reg,x\n0,1,1,1700000000,1\n1,2,2,1700000010,2\n2,0,3,1700000020,NA\n' > b.csv
tgn-train import b.csv -o b.safetensors
sed s/reg/label/ b.csv | tgn-train import - --label-type number -o c.safetensors; echo "exit $?"
sed 's/reg/label/; s/17000000//' b.csv | tgn-train import - --label-type number -o c.safetensors
printf '1.00000001,5\n1.00000002,6\n1.00000003,7\n' > f.csv
cut -d, -f1-3 b.csv | tgn-train import - --edge-features f.csv -o c.safetensors
# Times have 64 bits, also with a fraction of zeros.
printf '0,1,9007199254740992\n1,2,9007199254740993.0\n2,1,9007199254740994.00\n' | tgn-train import - -o c.safetensors
tensor-file cat c.safetensors --tensor times
printf '0,1,-5.0\n1,2,-4\n' | tgn-train import - -o c.safetensors
tensor-file cat c.safetensors --tensor times
