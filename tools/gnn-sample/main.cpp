#include "libcore/cli/run_tool.h"
#include "libcore/cli/tool.h"
#include "tools/gnn-sample/commands/tool.h"

int main(int argc, char** argv) {
  frugal::gnn::GnnSampleOptions options;
  return frugal::run_tool(frugal::gnn::gnn_sample_tool(options), argc, argv);
}
