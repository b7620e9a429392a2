#include "tools/sparse-train/lsh/rebuild_schedule.h"

namespace frugal::sparse {

RebuildSchedule::Position RebuildSchedule::at(std::uint64_t step) const {
  Position position;
  if (first == 0) return position;
  if (growth <= 1) {
    position.rebuilds = step / first;
    position.last = position.rebuilds * first;
    return position;
  }
  auto period = static_cast<double>(first);
  for (auto next = first; next <= step;) {
    ++position.rebuilds;
    position.last = next;
    period *= growth;
    next += static_cast<std::uint64_t>(period);
  }
  return position;
}

}  // namespace frugal::sparse
