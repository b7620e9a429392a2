#include "libcore/system/free_memory.h"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "libcore/base/text.h"
#include "libcore/system/proc_files.h"

using namespace frugal;

// The sanitizers' allocators keep freed memory on purpose.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace {

double resident_mib() {
  const std::string status = *read_proc_file("", "/proc/self/status");
  const std::string field = *proc_field(status, "VmRSS");
  return static_cast<double>(*parse_number<long>(field.substr(0, field.find(' ')))) / 1024;
}

}  // namespace

TEST_CASE("memory that is free between objects that live goes back to the system") {
  constexpr std::size_t kBlocks = 16000, kBytes = 1000;
  std::vector<std::unique_ptr<char[]>> blocks;
  for (std::size_t b = 0; b < kBlocks; ++b) {
    blocks.push_back(std::make_unique<char[]>(kBytes));
    blocks.back()[0] = 1;
  }
  for (std::size_t b = 0; b + 1 < kBlocks; ++b) blocks[b].reset();  // the last one lives
  const double before = resident_mib();
  return_free_memory();
  CHECK(before - resident_mib() > 12);
  CHECK(blocks.back()[0] == 1);
}
#endif
