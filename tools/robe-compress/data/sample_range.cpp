#include "tools/robe-compress/data/sample_range.h"

#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::robe {
namespace {

constexpr std::uint64_t kDecimals = 1'000'000'000;

[[noreturn]] void refuse(std::string_view text) {
  fail(ExitStatus::usage, "--lines is '", printable(text),
       "', expected a range of samples like 0:1000000 or, in shares, 0:6/7");
}

}  // namespace

SampleRange::Fraction SampleRange::fraction(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    const auto up = parse_number<std::uint32_t>(text.substr(0, slash));
    const auto down = parse_number<std::uint32_t>(text.substr(slash + 1));
    if (!up || !down || *down == 0) refuse(text);
    return {*up, *down};
  }
  if (text.find('.') != std::string_view::npos) {
    const auto share = parse_number<double>(text);
    if (!share || !(*share >= 0 && *share <= 1)) refuse(text);
    return {static_cast<std::uint64_t>(std::llround(*share * kDecimals)), kDecimals};
  }
  const auto number = parse_number<std::uint64_t>(text);
  if (!number) refuse(text);
  return {*number, 1};
}

SampleRange::SampleRange(std::string_view text) : is_all_(text.empty()) {
  if (is_all_) return;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) refuse(text);
  const std::string_view from = trim(text.substr(0, colon)), to = trim(text.substr(colon + 1));
  shares_ = text.find_first_of("/.") != std::string_view::npos;
  if (!from.empty()) from_ = fraction(from);
  if (!to.empty()) to_ = fraction(to);
  if (shares_ && to.empty()) to_ = {1, 1};
  const bool beyond = shares_ && (from_.up > from_.down || to_.up > to_.down);
  const auto product = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<unsigned __int128>(a) * b;
  };
  if (beyond || product(from_.up, to_.down) >= product(to_.up, from_.down)) refuse(text);
}

std::uint64_t SampleRange::part(Fraction share, std::uint64_t total) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(total) * share.up / share.down);
}

}  // namespace frugal::robe
