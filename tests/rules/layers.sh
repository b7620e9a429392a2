#!/bin/sh
# Every #include "libcore/MODULE/..." and "tools/TOOL/..." keeps the layers: a module of libcore includes
# itself and what the table (layers.txt, written by libcore/CMakeLists.txt) lets it use; a tool includes
# libcore and itself, and only its program (main.cpp, commands/) includes libcore/cli.
#   layers.sh LAYERS_TXT SOURCE_DIR
status=0
wrong() { echo "$1"; status=1; }
while IFS=: read -r module uses; do
  [ -d "$2/libcore/$module" ] || wrong "libcore/$module is in the table but not in the tree"
  for used in $(grep -rho '^#include "[a-z-]*/[a-z_-]*/' "$2/libcore/$module" | cut -d'"' -f2 | sort -u); do
    case $used in
      libcore/*) name=${used#libcore/}; name=${name%/}
        case " $module $uses " in *" $name "*) ;; *) wrong "libcore/$module includes $used, which is not in its USES" ;; esac ;;
      *) wrong "libcore/$module includes $used" ;;
    esac
  done
done < "$1"
for folder in "$2"/libcore/*/; do
  grep -q "^$(basename "$folder"):" "$1" || wrong "$folder is not in the table of libcore/CMakeLists.txt"
done
for file in $(find "$2/tools" -name '*.cpp' -o -name '*.h'); do
  tool=${file#"$2"/tools/}; tool=${tool%%/*}
  for used in $(grep -o '^#include "[a-z-]*/[a-z_-]*/' "$file" | cut -d'"' -f2 | sort -u); do
    case $used in
      libcore/cli/) case $file in */main.cpp | */commands/*) ;; *) wrong "$file includes $used; only the program may" ;; esac ;;
      libcore/kernels/ | libcore/nn/) case $file in */commands/*) wrong "$file includes $used: a command computes nothing itself" ;; esac ;;
      libcore/*) ;;
      "tools/$tool/") ;;
      *) wrong "$file includes $used: tools meet in files, not in code" ;;
    esac
  done
done
# What is below names nothing above it, in comments neither: paths there are not seen when files move.
named=$(grep -rnE 'tools/[a-z-]+/' "$2/libcore")
[ -z "$named" ] || wrong "libcore names files of a tool: $named"
# Third parties stay behind one folder each.
source_dir=$2
only() {  # only PATTERN ALLOWED_PATH_REGEX
  bad=$(grep -rlE "^ *#( *include|pragma) *$1" "$source_dir/libcore" "$source_dir/tools" 2>/dev/null | grep -vE "$2")
  [ -z "$bad" ] || wrong "$1 outside its folder: $bad"
}
only '[<"]zstd' '/libcore/streams/'
only '[<"]zlib' '/libcore/(streams|arrays)/'
only '[<"]yaml-cpp' '/libcore/cli/'
only '[<"]metis' '/libcore/graph/metis_partition.cpp'
only '[<"]expat' '/tools/gnn-sample/formats/'
only '[<"]utf8proc' '/libcore/tables/unicode_folding.cpp'
only '[<"]CLI/' '/libcore/cli/cli11_arguments.cpp'
bad=$(grep -rnE '\b([Jj]son|ordered_json)::(parse|accept|sax_parse|from_[a-z]+)\(' "$source_dir/libcore" "$source_dir/tools" |
  grep -vE '/libcore/streams/json_text.cpp:|/tools/gnn-sample/formats/json_graph.cpp:')
[ -z "$bad" ] || wrong "JSON is parsed without limits, not by libcore/streams/json_text.h: $bad"
only '([<"]omp\.h|omp )' '/libcore/(threading|kernels)/'
only '[<"]Eigen' '/(sparse-train/scoring/score_calibration|hw-probe/model/calibration|nn/batch_norm).cpp'
exit $status
