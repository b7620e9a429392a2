#include "tools/hw-probe/model/price_date.h"

#include <chrono>
#include <optional>
#include <regex>

namespace frugal::probe {
namespace {

namespace chr = std::chrono;

/// Last day that "2024", "2024-05" or "2024-05-17" can mean, or nothing for a date that is none.
std::optional<chr::sys_days> last_day(const std::smatch& date) {
  const auto number = [&](std::size_t group) { return std::stoi(date[group].str()); };
  const chr::year year(number(1));
  const chr::month month(date[2].matched ? static_cast<unsigned>(number(2)) : 12);
  const chr::year_month_day end(chr::year_month_day_last(year, chr::month_day_last(month)));
  if (!month.ok()) return std::nullopt;
  if (!date[3].matched) return chr::sys_days(end);
  const chr::year_month_day day(year, month, chr::day(static_cast<unsigned>(number(3))));
  return day.ok() ? std::optional(chr::sys_days(day)) : std::nullopt;
}

}  // namespace

bool is_old_price(const std::string& price_date, std::int64_t today) {
  static const std::regex date_pattern(R"(\b((?:19|20)\d\d)(?:-(\d\d)(?:-(\d\d))?)?\b)");
  std::optional<chr::sys_days> last;
  const std::sregex_iterator end;
  for (std::sregex_iterator i(price_date.begin(), price_date.end(), date_pattern); i != end; ++i) {
    if (const auto day = last_day(*i)) last = day;
  }
  constexpr std::int64_t kYear = 365;
  return last && today - last->time_since_epoch().count() > kYear;
}

std::int64_t days_today() {
  return chr::floor<chr::days>(chr::system_clock::now()).time_since_epoch().count();
}

}  // namespace frugal::probe
