#include "libcore/cli/tool.h"
#include "tools/sparse-train/options.h"

int main(int argc, char** argv) {
  frugal::sparse::SparseTrainOptions options;
  return frugal::run_tool(frugal::sparse::sparse_train_tool(options), argc, argv);
}
