#include "libcore/cli/run_tool.h"
#include "libcore/cli/tool.h"
#include "tools/tensor-file/commands/tool.h"

int main(int argc, char** argv) {
  frugal::tensor_file::TensorFileOptions options;
  return frugal::run_tool(frugal::tensor_file::tensor_file_tool(options), argc, argv);
}
