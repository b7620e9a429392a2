# Later versions read the files of version 1.0.0, and find in them what it found.
echo 3,9,90000000 | tgn-train predict "$golden/tgn-train-v1.model" --history "$golden/tgn-train-v1.events" -q |
  awk -F, '{ printf "%s,%s,%s,%.3f\n", $1, $2, $3, $4 }'
