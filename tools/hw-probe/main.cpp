#include "libcore/cli/run_tool.h"
#include "libcore/cli/tool.h"
#include "tools/hw-probe/commands/tool.h"

int main(int argc, char** argv) {
  frugal::probe::HwProbeOptions options;
  return frugal::run_tool(frugal::probe::hw_probe_tool(options), argc, argv);
}
