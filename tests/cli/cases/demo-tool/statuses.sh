for how in ok input memory bug stopped different; do demo-tool end $how; echo "$how: $?"; done
