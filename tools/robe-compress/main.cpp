#include "libcore/cli/run_tool.h"
#include "libcore/cli/tool.h"
#include "tools/robe-compress/commands/tool.h"

int main(int argc, char** argv) {
  frugal::robe::RobeCompressOptions options;
  return frugal::run_tool(frugal::robe::robe_compress_tool(options), argc, argv);
}
