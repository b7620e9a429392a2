#include "libcore/base/float_loss.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/log.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

/// As format_number(), but 1700000000 instead of 1.7e+09.
std::string digits_of(double x) {
  const bool whole = x == std::floor(x) && std::abs(x) < 0x1p53;
  return whole ? std::to_string(static_cast<long long>(x)) : format_number(x);
}

}  // namespace

void FloatLoss::add(const FloatLoss& next) {
  low_ = std::min(low_, next.low_);
  high_ = std::max(high_, next.high_);
  if (next.error_ <= error_) return;
  error_ = next.error_;
  exact_ = next.exact_;
  stored_ = next.stored_;
}

bool FloatLoss::is_settled() const {
  // A float is within 2^-24 of its number, and this ratio cannot fall when numbers are added.
  constexpr double kSafeShare = 1e-4;
  return high_ > low_ && high_ - low_ > kSafeShare * std::max(std::abs(low_), std::abs(high_));
}

std::string FloatLoss::text() const {
  return "32-bit floats round " + digits_of(exact_) + " to " + digits_of(stored_) +
         ", though the numbers differ by " + format_number(high_ - low_, 3) +
         " at most; subtract " + digits_of(low_) + " from all";
}

void add_losses(const std::vector<FloatLoss>& next, std::vector<FloatLoss>& all) {
  all.resize(std::max(all.size(), next.size()));
  for (std::size_t c = 0; c < next.size(); ++c) all[c].add(next[c]);
}

void warn_of_losses(const std::vector<FloatLoss>& losses,
                    const std::function<std::string(std::size_t)>& name,
                    const std::string& advice) {
  const auto lost = [](const FloatLoss& loss) { return loss.lost(); };
  const auto first = std::find_if(losses.begin(), losses.end(), lost);
  if (first == losses.end()) return;
  const auto others = static_cast<std::size_t>(std::count_if(first + 1, losses.end(), lost));
  log_warning(name(static_cast<std::size_t>(first - losses.begin())), ": ", first->text(), advice,
              others == 0 ? "" : " (and so in " + format_count(others, "other column") + ")");
}

}  // namespace frugal
