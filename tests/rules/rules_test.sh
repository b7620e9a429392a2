#!/bin/sh
# Every rule passes on a small good tree and fails, naming the place, on each way of breaking it.
#   rules_test.sh COMPILER
rules=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
failed=0

# A tree that keeps all rules.
good_tree() {
  rm -rf "$scratch/tree"; mkdir -p "$scratch/tree"; cd "$scratch/tree" || exit 2
  mkdir -p libcore/base libcore/streams libcore/cli tools/sow/commands tools/sow/data tools/sow/net man pages
  printf 'base: \nstreams: base\ncli: base streams\n' > layers.txt
  printf 'sow/data:\nsow/net: data\n' > tool_layers.txt
  echo '#include "libcore/base/a.h"' > libcore/base/a.cpp
  printf '#include <zstd.h>\n\n#include "libcore/base/a.h"\n' > libcore/streams/b.cpp
  echo '#include "libcore/streams/b.h"' > libcore/cli/c.cpp
  echo '#include "tools/sow/data/d.h"' > tools/sow/data/d.cpp
  echo '#include "tools/sow/data/d.h"' > tools/sow/net/n.cpp
  printf '#include "libcore/cli/c.h"\n#include "tools/sow/net/n.h"\n' > tools/sow/main.cpp
  echo 'sow' | tee README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md > SECURITY.md
  printf '.TH sow 1\n.SH NAME\nsow\n' > man/sow.1; cp man/sow.1 pages
  echo 'BasedOnStyle: Google' > .clang-format; mkdir -p tests/bench/results
  echo '| rows sown a minute | 7.5 / 2,100 | [sow](results/sow.md) |' > tests/bench/RESULTS.md
  echo '| 7.5 | 2,100 |' > tests/bench/results/sow.md
  echo 'namespace frugal { extern const int kernels_v2; const int kernels_v2 = 1; }' > table.cpp
}

layers() { "$rules/layers.sh" layers.txt .; }
tool_layers() { "$rules/tool_layers.sh" tool_layers.txt .; }
documents() { "$rules/documents.sh" . pages; }
format() { "$rules/format.sh" .; }
house() { "$rules/house.py" --check . pages; }
words() { "$rules/words.py" . pages; }
weak() { "$compiler" -O0 -fPIC -c table.cpp -o table.o && "$rules/no_weak_symbols.sh" table.o; }
compiler=$1

# keeps RULE: the rule passes on the good tree.
keeps() {
  good_tree
  said=$("$1" 2>&1) || { echo "$1 refuses a good tree: $said"; failed=1; }
}

# breaks RULE FILE LINE WORDS: with LINE at the end of FILE the rule fails and says WORDS.
breaks() {
  good_tree; echo "$3" >> "$2"
  if said=$("$1" 2>&1); then echo "$1 lets pass in $2: $3"; failed=1; fi
  case $said in *"$4"*) ;; *) echo "$1 on $2: $3: says '$said', not '$4'"; failed=1 ;; esac
}

for rule in layers tool_layers documents words house weak; do keeps $rule; done
breaks layers libcore/base/a.cpp '#include "libcore/streams/b.h"' 'libcore/base includes libcore/streams/'
breaks layers libcore/streams/b.cpp '#include "tools/sow/data/d.h"' 'libcore/streams includes tools/sow/'
breaks layers layers.txt 'nn: base' 'libcore/nn is in the table but not in the tree'
breaks layers tools/sow/data/d.cpp '#include "libcore/cli/c.h"' 'only the program may'
breaks layers tools/sow/main.cpp '#include "tools/reap/r.h"' 'tools meet in files'
breaks layers libcore/base/a.cpp '#include <zstd.h>' 'outside its folder'
breaks layers tools/sow/main.cpp '#pragma omp parallel' 'outside its folder'
breaks layers libcore/streams/b.cpp 'auto json = nlohmann::json::parse(text);' 'JSON is parsed without limits'
breaks layers tools/sow/commands/grow.cpp '#include "libcore/kernels/k.h"' 'a command computes nothing itself'
breaks layers libcore/base/a.cpp '// As tools/sow/net/n.h does.' 'libcore names files of a tool'
breaks tool_layers tools/sow/data/d.cpp '#include "tools/sow/net/n.h"' 'tools/sow/data includes tools/sow/net/n.h'
breaks tool_layers tools/sow/net/n.cpp '#include "tools/sow/model.h"' 'which is above it'
breaks tool_layers tool_layers.txt 'sow/tree:' 'sow/tree is in the table but not in the tree'
good_tree; sed -i /net/d tool_layers.txt
tool_layers | grep -q 'tools/sow/net is not in the table' || { echo 'a folder without a layer passes'; failed=1; }
# shellcheck disable=SC2016
breaks documents README.md 'see `tools/sow/none.cpp`' 'names tools/sow/none.cpp'
breaks documents README.md '[this](none.md)' 'names none.md'
breaks documents tests/bench/RESULTS.md '| reaped | 7 | [sow](results/sow.md) |' 'says 7, which is not on tests/bench/results/sow.md'
breaks documents tests/bench/RESULTS.md "$(seq 55)" 'RESULTS.md: more than 55 lines'
breaks documents tests/bench/results/sow.md "$(seq 150)" 'results/sow.md: more than 150 lines'
breaks documents tests/bench/results/sow.md '[this](none.md)' 'sow.md names none.md'
good_tree; echo reaped > tests/bench/results/reap.md
documents | grep -q 'has no link to tests/bench/results/reap.md' || { echo 'a page without a link passes'; failed=1; }
good_tree; rm man/sow.1
documents | grep -q 'no man/sow.1' || { echo 'a tool without its page passes'; failed=1; }
# Sentences and choices of more than 25 words, pronouns without a noun.
ten='one two three four five six seven eight nine ten'
breaks words README.md "
$ten $ten a b c d e f." 'README.md: 26 words: one two'
breaks words man/sow.1 ".SH DESCRIPTION
$ten
.BR a \" and \" b
$ten c d e." 'man/sow.1: 26 words: one two'
breaks words pages/sow-grow.1 ".SH DESCRIPTION
$ten $ten a b c d e f." 'pages/sow-grow.1: 26 words: one two'
breaks words README.md "
how it sows: deep: $ten $ten a b c d e f; flat: one." '27 words: deep: one two'
breaks words README.md 'Seeds are like those of others.' '"those of" without its noun'
breaks words README.md 'Nothing is after that.' '"that" without its noun'
good_tree; printf '%s\n' "$ten $ten a b c d e ($ten). $ten: $ten; $ten; auto: $ten; deep = $ten." '```' "$ten $ten $ten" '```' \
  'Seeds: red, green, blue, white, black, grey, pink, long, tall, deep, flat, wet, dry, hot, cold, new, old, raw, big, s, t, u.' \
  'It is so that rows, that is lines, differ. Of all that is sown those seeds that live are few.' > README.md
words || { echo 'a document that keeps the rule of words is refused'; failed=1; }
if command -v clang-format-14 >/dev/null; then
  keeps format
  breaks format libcore/streams/b.cpp 'int  spaces;' 'libcore/streams/b.cpp:4:4'
else
  format >/dev/null; [ $? = 77 ] || { echo 'format does not skip where clang-format-14 is not there'; failed=1; }
fi
# What changed since a commit is read, and nothing else; without tool, build or history it is a skip.
if command -v clang-tidy-14 >/dev/null; then
  good_tree; mkdir -p build tests/rules; cp "$rules/tidy.sh" tests/rules; cp "$rules/../../.clang-tidy" .
  echo 'int* old_place = 0;' > libcore/streams/b.cpp; cp libcore/streams/b.cpp libcore/cli/c.cpp
  { echo '['; for file in streams/b cli/c; do
    printf '{"directory": "%s", "command": "c++ -I. -c libcore/%s.cpp",\n  "file": "%s/libcore/%s.cpp"\n},\n' "$PWD" $file "$PWD" $file
  done; } | sed '$s/,$/]/' > build/compile_commands.json
  git init -q . && git add . && git -c user.name=t -c user.email=t@t commit -qm one
  tests/rules/tidy.sh --since HEAD build >/dev/null || { echo 'tidy reads what did not change'; failed=1; }
  echo 'int* place = 0;' > libcore/cli/c.cpp
  said=$(tests/rules/tidy.sh --since HEAD build); [ $? = 1 ] || { echo "tidy finds nothing: $said"; failed=1; }
  case $said in *streams/b.cpp*) echo "tidy reads what did not change: $said"; failed=1 ;; *c.cpp:1:14:*nullptr*) ;; *) echo "tidy says $said"; failed=1 ;; esac
  tests/rules/tidy.sh --all build | grep -q 'b.cpp:1:18:' || { echo 'tidy --all does not read all'; failed=1; }
  tests/rules/tidy.sh --since HEAD~9 build >/dev/null; [ $? = 77 ] || { echo 'tidy without history is no skip'; failed=1; }
fi
breaks weak table.cpp 'inline int leak() { return 1; } int (*user)() = leak;' 'leak()'
good_tree; { echo '.SH OPTIONS'; for n in $(seq 120); do printf '.TP\n\\fB\\-\\-seed%s\\fR\n' "$n"; done; } > pages/sow-grow.1
house | grep -q 'sow-grow.1: 120 options' || { echo 'a page of 120 options passes'; failed=1; }
# What is too large or tied into a knot is named, and refused where there is more of it than ever.
good_tree
write_method() {  # a file of $1 lines, its method Sower::sow has $2, in a class with other rooms beside it
  printf 'namespace frugal {\nconstexpr int kSeeds[] = {\n    1, 2,\n};\nconst char* text = R"(\nvoid no() {\n)";\n'
  printf 'class Sower {\n public:\n  Sower() {}\n  template <typename T>\n  void sow(T seed,\n           int row) const {\n'
  awk -v lines=$(($2 - 4)) 'BEGIN { while (lines-- > 0) print "    if (seed) { seed(row); }" }'
  printf '  }\n};\n}  // namespace frugal\n'
  awk -v lines=$(($1 - $2 - 12)) 'BEGIN { while (lines-- > 0) print "// corn" }'
}
write_method 400 60 > tools/sow/net/enough.h
write_method 401 61 > tools/sow/net/much.h
for n in $(seq 20); do echo '#include "tools/sow/circle_1.h"' > tools/sow/circle_$n.h; done
echo '#include "tools/sow/circle_3.h"' > tools/sow/circle_1.h
printf '// What it is.\n// Of two lines.\nint a;  // That is it.\nint b = 1'"'"'000;  // seeds "of\n// course\n' > tools/sow/comments.cpp
said=$("$rules/house.py" --places .) || { echo 'the report of the house fails'; failed=1; }
case $said in *enough.h*) echo "what may be is reported: $said"; failed=1 ;; esac
for words in 'net/much.h: 401 lines' 'net/much.h:11: sow: 61 lines' '  tools/sow/circle_1 tools/sow/circle_3' \
  'tools/sow: 22 rooms' 'comments.cpp:1: What it is. Of two lines.' 'comments.cpp:3: That is it.'; do
  case $said in *"$words"*) ;; *) echo "the house does not say $words: $said"; failed=1 ;; esac
done
if said=$(house); then echo 'a file over 400 lines passes'; failed=1; fi
for words in '400 lines: 1, where 0' '60 lines: 1, where 0' '  tools/sow/net/much.h: 401 lines'; do
  case $said in *"$words"*) ;; *) echo "the house does not refuse $words: $said"; failed=1 ;; esac
done
# Code that was there before is packed away; comments, blank lines and includes do not count.
seeds() { awk -v seed="$1" 'BEGIN { srand(seed); for (i = 0; i < 350; i++) print "int s" int(rand() * 1e9) ", t" int(rand() * 1e9) ";" }'; }
good_tree; cp "$rules/house.py" .; sed -i 's/("kB of information", information, .*/("kB", information, 0, 5),/' house.py
seeds 1 > tools/sow/net/n.h
cp tools/sow/net/n.h tools/sow/net/m.h; sed 's|^|// |' tools/sow/net/n.h > tools/sow/net/o.h
python3 house.py --check . || { echo 'copies and comments count as information'; failed=1; }
seeds 2 > tools/sow/net/o.h
python3 house.py --check . | grep -q ', where 5 are' || { echo 'new code is no information'; failed=1; }
# What ctest skips is named by the summary of tests/run.sh.
mkdir skips; cat > skips/CTestTestfile.cmake <<'EOF'
add_test(absent sh -c "exit 77")
set_tests_properties(absent PROPERTIES SKIP_RETURN_CODE 77)
add_test(there true)
EOF
ctest --test-dir skips 2>&1 | "$rules/../skipped.sh" suite | grep -qx '  suite: absent' || { echo 'a skip is not named'; failed=1; }
exit $failed
