#include "libcore/cli/tool.h"
#include "tools/tgn-train/options.h"

int main(int argc, char** argv) {
  frugal::TgnTrainOptions options;
  return frugal::run_tool(frugal::tgn_train_tool(options), argc, argv);
}
