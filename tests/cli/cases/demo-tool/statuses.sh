for how in ok input memory bug file stopped different; do demo-tool end $how; echo "$how: $?"; done
