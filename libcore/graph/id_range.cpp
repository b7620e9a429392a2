#include "libcore/graph/id_range.h"

#include "libcore/base/error.h"

namespace frugal {

void check_id_range(const std::string& path, std::uint64_t nodes, std::uint64_t edges) {
  constexpr std::uint64_t kSurelyFine = 100'000'000, kNodesAnEdge = 2000;
  if (nodes <= kSurelyFine || nodes / kNodesAnEdge <= edges) return;
  fail(ExitStatus::bad_input, path, ": has ids up to ", nodes - 1, " in ", edges,
       " lines, expected ids from 0 on without wide gaps; --ids any numbers nodes as they come, ",
       "--nodes says that there are so many");
}

}  // namespace frugal
