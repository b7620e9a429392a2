#!/bin/sh
# Puts what python.txt lists and Python lacks into a folder for PYTHONPATH. Where that fails, what needs it is skipped.
#   python.sh FOLDER [long]     also what is marked so
folder=$1; here=$(dirname "$0")
list=$(sed "s/#.*//; ${2:+s/ *\[$2\]//;} /\[/d" "$here/python.txt")
there() { PYTHONPATH=$folder python3 -c "import $(echo $list | tr ' ' ,)" 2>/dev/null; }
there && exit 0
python3 -m pip --version >/dev/null 2>&1 || "$here/install.sh" pip
echo "installing Python packages into $folder" >&2
# shellcheck disable=SC2086
python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --only-binary :all: \
  --target "$folder" --upgrade $list >&2
there
