#include "libcore/cli/run_tool.h"
#include "libcore/cli/tool.h"
#include "tools/sparse-train/commands/tool.h"

int main(int argc, char** argv) {
  frugal::sparse::SparseTrainOptions options;
  return frugal::run_tool(frugal::sparse::sparse_train_tool(options), argc, argv);
}
