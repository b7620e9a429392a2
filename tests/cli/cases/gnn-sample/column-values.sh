# Numbers of a column have one decimal mark, a year is no Unix time, and lines do not end with CR alone.
printf 'a,b\n0,1\n1,2\n' > edges.csv
import() { gnn-sample import edges.csv --features f.csv -o g.safetensors "$@" 2>&1 | grep -E '^gnn-sample|features'; }
printf '1;92,5\n2;1.234\n3;4,5\n' > f.csv; import
printf 'x;word\n92,5;a\n1.234;a\n4,5;b\n' > f.csv; import
printf 'x;word\n92,5;a\n1234;a\n4,5;b\n' > f.csv; import
printf 'since,word\n2001,a\n2002,a\n2003,b\n' > f.csv; import --columns since:date
printf 'since,word\n202403021300,a\n202403021400,a\n202403021500,b\n' > f.csv; import --columns since:date
printf '1,2\r3,4\r5,6\r' > f.csv; import
# A column that other features need is a fault of the table.
printf 'age,size\n1,2\n3,4\n5,6\n' > f.csv; import; cut -d , -f 1 f.csv > few.csv
gnn-sample import edges.csv --features few.csv --features-like g.safetensors -o o.safetensors; echo "exit $?"
