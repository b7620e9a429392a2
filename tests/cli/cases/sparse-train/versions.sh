# Files of another version, kind or tool, values that are nearly right, and models with a NaN are refused, not guessed.
printf 'a,one two\nb,two three two\n' > d.csv
sparse-train train d.csv -o m.safetensors --hidden 4 --epochs 1 --min-count 1 -q
sparse-train convert d.csv -o d.safetensors --min-count 1 -q
change() { LC_ALL=C sed "s/$2/$3/" $1.safetensors > changed.safetensors; cmp -s $1.safetensors changed.safetensors && echo same; }
e() { sparse-train eval changed.safetensors d.csv -q; echo "exit $?"; }
t() { sparse-train train changed.safetensors -o out -q; echo "exit $?"; }
change m '"frugal.version":"1"' '"frugal.version":"9"'; e
change m '"frugal.kind":"model"' '"frugal.kind":"yodel"'; e
change m '"frugal.tool":"sparse-train"' '"frugal.tool":"robust-train"'; e
change m '"model.normalize":"\(.\)' '"model.normalize":"X'; e
change d '"frugal.version":"1"' '"frugal.version":"9"'; t
change d '"frugal.kind":"data"' '"frugal.kind":"Data"'; t
change d '"data.sorted":"t' '"data.sorted":"T'; t
python3 - <<'P'
import json, struct
bytes_ = bytearray(open("m.safetensors", "rb").read())
n = struct.unpack("<Q", bytes_[:8])[0]
header = json.loads(bytes_[8:8 + n])
at = 8 + n + header["labels.weight"]["data_offsets"][0]
bytes_[at:at + 4] = struct.pack("<f", float("nan"))
open("changed.safetensors", "wb").write(bytes_)
P
e; sparse-train predict changed.safetensors d.csv -q; echo "exit $?"
ls
