# Names with what a terminal would obey are shown escaped: colours, titles, and what turns the direction of writing.
name=$(printf 'a\033[31m\342\200\256b\302\233c')
demo-tool show "$name" --threads 1 | head -n 1; demo-tool show x -o "no/$name"; echo "exit $?"; demo-tool show --nam"$name" x; echo "exit $?"
