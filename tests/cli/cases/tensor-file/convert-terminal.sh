# Binary does not go to a terminal.
cp "$golden"/v1-stream.tzs .
refused='tensor-file: refusing to write binary data to a terminal; name a file with -o FILE or use a pipe'
command -v script >/dev/null || { printf '%s\nstatus 2\n' "$refused"; exit; }
script -qec 'tensor-file convert v1-stream.tzs -; echo status $?' /dev/null | sed 's/.*tensor-file:/tensor-file:/' | tr -d '\r'
