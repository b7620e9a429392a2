# Times of seeds must be of the kind of the edges' times: dates or numbers.
printf 's,d,t\n0,1,2024-02-29T13:05:59Z\n2,1,2024-02-29T13:06:59Z\n' > dates.csv
printf 's,d,t\n0,1,1709211959123\n2,1,1709211960123\n' > numbers.csv
for kind in dates numbers; do gnn-sample import $kind.csv --columns t:time -o $kind.safetensors -q; done
echo 1 > seeds; echo 1709211960000 > as-number; echo 2024-02-29T13:06:30Z > as-date; echo inf > at-end
for kind in dates numbers; do
  for time in as-number as-date at-end; do
    echo "-- $kind, $time"
    gnn-sample sample $kind.safetensors --seeds seeds --seed-times $time --temporal last --fanouts 2 -o batch -f -q && tensor-file info batch | grep neighbors
    echo "0,1,$(cat $time)" > pair; gnn-sample sample $kind.safetensors --edges pair --temporal last --fanouts 2 -o batch -f -q || echo "exit $?"
  done
done
tensor-file info dates.safetensors | grep graph.dates
# All edges of a graph have one kind of times.
printf '[{"source":1,"target":2,"t":"2024-01-01"},{"source":1,"target":2,"t":5}]' > mixed.json
gnn-sample import mixed.json --columns t:time -o x.safetensors; echo "exit $?"
printf '[{"source":1,"target":2,"t":5},{"source":1,"target":2,"t":"2024-01-01"}]' > mixed.json
gnn-sample import mixed.json --columns t:time -o x.safetensors; echo "exit $?"
gnn-sample import --edges a:r:b=dates.csv --edges a:s:b=numbers.csv --columns t:time -o x.safetensors; echo "exit $?"
gnn-sample import --edges a:r:b=dates.csv --edges a:s:b=dates.csv --columns t:time -o typed.safetensors -q && tensor-file info typed.safetensors | grep graph.dates
# Seconds in a double have no nanoseconds.
printf 's,d,t\n0,1,2024-01-01 00:00:00.000000300\n1,2,2024-01-01 00:00:00.000001000\n' | gnn-sample import - --columns t:time -o x.safetensors >/dev/null
