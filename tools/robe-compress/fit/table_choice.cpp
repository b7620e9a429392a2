#include "tools/robe-compress/fit/table_choice.h"

#include <fnmatch.h>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::robe {

std::vector<std::size_t> choose_tables(const std::vector<std::string>& tables,
                                       const std::vector<std::string>& patterns,
                                       const std::string& path) {
  std::vector<std::size_t> chosen;
  std::vector<bool> used(patterns.size());
  for (std::size_t t = 0; t < tables.size(); ++t) {
    bool take = patterns.empty();
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      if (fnmatch(patterns[i].c_str(), tables[t].c_str(), 0) == 0) take = used[i] = true;
    }
    if (take) chosen.push_back(t);
  }
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (used[i]) continue;
    fail(ExitStatus::usage, path, ": no table is named '", printable(patterns[i]), "'");
  }
  return chosen;
}

}  // namespace frugal::robe
