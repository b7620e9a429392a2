# A full disk: exit 74, nothing half-written.
printf 'a,one two\nb,two three two\n' > d.csv
sparse-train train d.csv -o /dev/full --min-count 1 -q; echo "exit $?"
sparse-train train d.csv -o m --min-count 1 -q; echo "exit $?"
sparse-train predict m d.csv > /dev/full; echo "exit $?"
sparse-train predict m d.csv -o /dev/full; echo "exit $?"
sparse-train eval m d.csv > /dev/full; echo "exit $?"
ls
