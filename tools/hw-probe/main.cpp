#include "libcore/cli/tool.h"
#include "tools/hw-probe/options.h"

int main(int argc, char** argv) {
  frugal::HwProbeOptions options;
  return frugal::run_tool(frugal::hw_probe_tool(options), argc, argv);
}
