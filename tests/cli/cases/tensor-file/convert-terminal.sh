# Binary does not go to a terminal.
cp "$golden"/v1-stream.tzs .
script -qec 'tensor-file convert v1-stream.tzs -; echo status $?' /dev/null | sed 's/.*tensor-file:/tensor-file:/' | tr -d '\r'
