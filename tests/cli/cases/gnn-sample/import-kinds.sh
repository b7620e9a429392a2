# What other programs write: kinds of edges that a file tells, and formats that are no list of edges.
try() { gnn-sample import "$@" -o out.safetensors -f >/dev/null; echo "exit $?"; }
printf '%%%%MatrixMarket matrix coordinate unsigned-integer general\n3 3 2\n1 2 5\n2 3 7\n' > u.mtx; try u.mtx; tensor-file cat out.safetensors --tensor weights
# METIS lists each edge twice, with the same weight.
printf '3 2 1\n2 5\n1 5 3 7\n2 7\n' > same.graph; try same.graph
printf '3 2 1\n2 5\n1 6 3 7\n2 7\n' > other.graph; try other.graph; try other.graph --columns none:weight
# Gephi says of each edge whether it has a direction.
printf 'Source,Target,Type,Id\n0,1,Undirected,0\n1,2,Undirected,1\n' > gephi.csv; try gephi.csv; try gephi.csv --undirected
printf 'Source,Target,Type,Id\n0,1,Directed,0\n1,2,Directed,1\n' > gephi.csv; try gephi.csv
printf 'Source,Target,Type,Id\n0,1,friend,0\n1,2,Directed,1\n' > gephi.csv; try gephi.csv
printf '# Alice\nBob 1.5\n# Bob\nCy 2.5\n' > g.lgl; try g.lgl --ids any
printf 'c a comment\np sp 3 2\na 1 2 5\na 2 3 6\n' > x.gr; try x.gr --ids any
printf 'p edge 3 2\ne 1 2\ne 2 3\n' > x.col; try x.col --ids any
# Comments between rows may be rows.
printf '# names of nodes\na b\n#x y\nb c\n%%y z\n' > tags; try tags --ids any
printf '# Bob\n1 2\n# Cy\n3 4\n' > plain; try plain
# Ids in files of nodes that the graph does not have.
printf '<graphml><graph edgedefault="directed"><node id="n0"/><node id="n1"/><edge source="n0" target="n1"/></graph></graphml>' > g.graphml
printf 'id,y\nn0,a\nCy,b\n' > l.csv; try g.graphml --labels l.csv --columns id:id,y:label --ids any
printf '0 1\n1 300000000\n' > far; gnn-sample import - -o out.safetensors -f -q < far; echo "exit $?"
# Triples of knowledge graphs: the third word may be the target.
printf '/m/1\t/r/a\t/m/2\n/m/3\t/r/b\t/m/4\n' > kg.tsv; try kg.tsv --ids any; try kg.tsv --ids any --columns 1:source,3:target,none:weight
# Names of classes are lines of a list; names of types have no comma.
printf '0 1\n1 2\n2 0\n' > e.txt; printf 'id,label\n0,"x\ny"\n1,z\n2,"x\ny"\n' > l.csv; try e.txt --labels l.csv --columns id:id,label:label
try --edges 'a,b:r:c=e.txt'
