#include "tools/robe-compress/data/held_out.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::robe {

HeldOut::HeldOut(std::string_view text) {
  if (text.empty()) return;
  const std::string_view value = text.substr(std::min(text.find(':') + 1, text.size()));
  if (text.starts_with("every:")) {
    if (const auto every = parse_number<std::uint64_t>(value); every && *every >= 2) {
      every_ = *every;
      return;
    }
  } else if (text.starts_with("last:")) {
    if (const auto share = parse_number<double>(value); share && *share > 0 && *share < 1) {
      last_ = *share;
      return;
    }
  }
  fail(ExitStatus::usage, "--held-out is '", printable(text),
       "', expected every:K with K of 2 or more, or last:SHARE with a share below 1");
}

HeldOut HeldOut::one_of(std::uint64_t k) {
  HeldOut held_out;
  held_out.every_ = k;
  held_out.is_scattered_ = true;
  return held_out;
}

std::uint64_t HeldOut::count(std::uint64_t samples) const {
  if (every_ != 0) return samples / every_;
  return static_cast<std::uint64_t>(static_cast<double>(samples) * last_);
}

}  // namespace frugal::robe
