#include "tools/sparse-train/data/label_copies.h"

#include <string_view>
#include <unordered_map>

#include "libcore/base/text.h"

namespace frugal::sparse {

bool are_copies(std::span<const TableRow> rows, std::size_t a, std::size_t b) {
  constexpr std::size_t kFewestRows = 20;
  std::unordered_map<std::string_view, std::string_view> b_of, a_of;
  std::size_t complete = 0;
  for (const TableRow& row : rows) {
    if (a >= row.size() || b >= row.size() || is_missing(row[a]) || is_missing(row[b])) continue;
    ++complete;
    if (b_of.emplace(row[a], row[b]).first->second != row[b]) return false;
    if (a_of.emplace(row[b], row[a]).first->second != row[a]) return false;
  }
  return complete >= kFewestRows && b_of.size() >= 2 && 2 * b_of.size() <= complete;
}

}  // namespace frugal::sparse
