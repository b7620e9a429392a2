#pragma once
#include <cstdint>
#include <string>

namespace frugal::probe {

/// Whether a price of `price_date` is older than a year on `today`, in days since 1970-01-01.
/// Reads the last date of the text, YYYY-MM-DD, YYYY-MM or YYYY, as the last day that it can mean.
/// A text without a date is never old.
bool is_old_price(const std::string& price_date, std::int64_t today);

/// Days from 1970-01-01 to today (UTC).
std::int64_t days_today();

}  // namespace frugal::probe
