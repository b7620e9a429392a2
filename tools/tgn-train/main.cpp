#include "libcore/cli/run_tool.h"
#include "libcore/cli/tool.h"
#include "tools/tgn-train/commands/tool.h"

int main(int argc, char** argv) {
  frugal::tgn::TgnTrainOptions options;
  return frugal::run_tool(frugal::tgn::tgn_train_tool(options), argc, argv);
}
