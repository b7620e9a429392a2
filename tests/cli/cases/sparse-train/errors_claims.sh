# A header of 20 bytes, or one id, that claims more than any machine holds: refused before anything of that size is
# made.
t() { sparse-train train "$@" -o model > said 2>&1; echo "exit $?"; sed 's/ needs .*/ needs .../' said; }
printf '2 4000000000 2\n0 0:1\n1 1:1\n' > header.txt; t header.txt --architecture shared --hidden 4096
printf '2 2 4000000000\n0 0:1\n1 1:1\n' > labels.txt; t labels.txt
printf 'a 4000000000:1\nb 1:1\n' > id.svm; t id.svm --format svmlight --architecture dense --hidden 4096
ls
