cd "$golden" || exit 2
tensor-file info no-such-file.tzs; echo "status $?"
tensor-file info v1-stream.tzs --document 3; echo "status $?"
cat v1-stream.tzs | tensor-file info - --document 3; echo "status $?"
head -c 400 v1-stream.tzs | tensor-file info -; echo "status $?"
echo 'name,value' | tensor-file info -; echo "status $?"
tensor-file info v1-file.safetensors.zst --max-tensors 3; echo "status $?"
tensor-file info v1-file.safetensors.zst --max-header 100; echo "status $?"
tensor-file info; echo "status $?"
