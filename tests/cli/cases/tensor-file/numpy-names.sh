# NumPy's files are recognised by their first bytes, however they are called. A pipe cannot hold one.
tensor-file convert --quiet "$golden/v1-packed.safetensors.zst" all.npz
tensor-file cat all.npz --tensor weights --format npy -o a.npy
cp a.npy array; cp a.npy A.NPY; cp all.npz ALL.NPZ
for file in array A.NPY; do tensor-file info $file | tail -n 1; tensor-file diff a.npy $file && tensor-file verify $file; done
tensor-file diff all.npz ALL.NPZ; echo "exit $?"
tensor-file convert --quiet ALL.NPZ b.safetensors && tensor-file diff b.safetensors all.npz; echo "exit $?"
for file in a.npy all.npz; do tensor-file info - < $file; echo "exit $?"; done
cat a.npy | tensor-file convert - c.tzs; echo "exit $?"
{ printf 'MATLAB 5.0 MAT-file Platform: posix'; head -c 93 /dev/zero; } > m.mat; tensor-file info m.mat; echo "exit $?"
