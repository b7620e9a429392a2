#!/bin/sh
# Puts what python.txt lists and Python lacks into a folder for PYTHONPATH. Where that fails, what needs it is skipped.
#   python.sh FOLDER
folder=$1; here=$(dirname "$0")
there() { PYTHONPATH=$folder python3 -c 'import numpy, safetensors.numpy, zstandard' 2>/dev/null; }
there && exit 0
python3 -m pip --version >/dev/null 2>&1 || "$here/install.sh" pip
echo "installing Python packages into $folder" >&2
python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --only-binary :all: \
  --target "$folder" --upgrade -r "$here/python.txt" >&2
there
