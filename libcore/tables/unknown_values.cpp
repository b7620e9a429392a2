#include "libcore/tables/unknown_values.h"

#include <algorithm>
#include <functional>

#include "libcore/base/log.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

constexpr std::size_t kMostColumnsNamed = 4;  ///< columns, beside the worst
constexpr std::uint64_t kFewestToWarn = 20;   ///< samples: fewer are no reason to warn

}  // namespace

void say_unknown(std::vector<UnknownValues> columns, const std::string& input) {
  if (columns.empty()) return;
  std::ranges::stable_sort(columns, std::greater(), &UnknownValues::unknown);
  const UnknownValues& worst = columns.front();
  std::string others;
  for (std::size_t i = 1; i < columns.size() && i <= kMostColumnsNamed; ++i) {
    others += (i == 1 ? "; " : ", ") + printable(columns[i].column) + " " +
              std::to_string(columns[i].unknown);
  }
  if (columns.size() > 1 + kMostColumnsNamed) {
    others += " and " + std::to_string(columns.size() - 1 - kMostColumnsNamed) + " more columns";
  }
  const bool is_bad = worst.samples >= kFewestToWarn && 2 * worst.unknown >= worst.samples;
  log_info(is_bad ? "warning: " : "", input, ": column '", printable(worst.column),
           "': ", worst.unknown, " of ", worst.samples, " values are unknown to the model", others);
}

}  // namespace frugal
