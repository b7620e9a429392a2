#include "tools/gnn-sample/data/field_numbers.h"

#include "libcore/tables/moment.h"

namespace frugal::gnn {

std::optional<double> parse_date(std::string_view text) {
  const std::optional<Moment> moment = parse_calendar_moment(text);
  if (!moment) return std::nullopt;
  return static_cast<double>(moment->seconds) + moment->nanoseconds * 1e-9;
}

}  // namespace frugal::gnn
