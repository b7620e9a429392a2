#include "libcore/system/output_paths.h"

#include <filesystem>
#include <system_error>

#include "libcore/base/error.h"

namespace frugal {

void keep_inputs(const std::string& output, std::initializer_list<std::string> inputs) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(output, ignored)) return;
  for (const std::string& input : inputs) {
    if (!std::filesystem::equivalent(output, input, ignored)) continue;
    fail(ExitStatus::usage, output, ": is an input too, expected another file for the output");
  }
}

}  // namespace frugal
