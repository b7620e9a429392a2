#include "libcore/tables/svmlight.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

constexpr std::uint64_t kLargestId = std::numeric_limits<std::uint32_t>::max();

/// Parses the digits at `at` and advances it; nothing if there are none. Fails if the number
/// exceeds 32 bits. kind: "feature" or "label".
std::optional<std::uint32_t> read_id(const char*& at, const char* end, const char* kind) {
  std::uint64_t value = 0;
  const char* const begin = at;
  for (; at != end && is_digit(*at); ++at) {
    value = std::min(value * 10 + static_cast<std::uint64_t>(*at - '0'), kLargestId + 1);
  }
  if (at == begin) return std::nullopt;
  if (value > kLargestId) {
    fail(ExitStatus::bad_input, kind, " ",
         printable({begin, static_cast<std::size_t>(at - begin)}, 40),
         " is too large, expected an id of at most ", kLargestId);
  }
  return static_cast<std::uint32_t>(value);
}

/// Parses numbers like "12.345" by integer arithmetic, five times faster than parse_number(), which
/// handles the rest (exponents, many digits, inf). The quotient of exact doubles is rounded twice:
/// one value in 2^29 may differ in the float's last bit.
std::optional<float> read_value(std::string_view text) {
  static constexpr std::array<double, 16> kPowers{1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const bool negative = text.starts_with('-');
  const std::string_view digits = text.substr(negative ? 1 : 0);
  std::uint64_t mantissa = 0;
  std::size_t i = 0;
  if (digits.size() <= 16) {
    for (; i < digits.size() && is_digit(digits[i]); ++i) {
      mantissa = mantissa * 10 + static_cast<std::uint64_t>(digits[i] - '0');
    }
    std::size_t decimals = 0;
    if (i > 0 && i < digits.size() && digits[i] == '.') {
      for (++i; i < digits.size() && is_digit(digits[i]); ++i, ++decimals) {
        mantissa = mantissa * 10 + static_cast<std::uint64_t>(digits[i] - '0');
      }
    }
    if (i > 0 && i == digits.size()) {
      const double value = static_cast<double>(mantissa) / kPowers[decimals];
      return static_cast<float>(negative ? -value : value);
    }
  }
  return parse_number<float>(without_plus(text));
}

[[noreturn]] void fail_token(std::string_view token, const char* expectation) {
  fail(ExitStatus::bad_input, "found '", printable(token, 40), "', expected ", expectation);
}

void sort_by_feature(SparseLine& line) {
  std::vector<std::size_t> order(line.features.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return line.features[a] < line.features[b]; });
  SparseLine sorted;
  for (const std::size_t i : order) {
    sorted.features.push_back(line.features[i]);
    sorted.values.push_back(line.values[i]);
  }
  line.features.swap(sorted.features);
  line.values.swap(sorted.values);
  const auto twice = std::adjacent_find(line.features.begin(), line.features.end());
  if (twice != line.features.end()) {
    fail(ExitStatus::bad_input, "feature ", *twice, " stands twice in the line, expected it once");
  }
}

/// Parses one "feature:value" that begins at `at`.
void parse_feature(const char* at, const char* end, std::uint64_t num_features, SparseLine& out) {
  const std::string_view token(at, static_cast<std::size_t>(end - at));
  const auto id = read_id(at, end, "feature");
  if (!id || at == end || *at != ':') fail_token(token, "feature:value with a feature id >= 0");
  if (*id >= num_features) {
    fail(ExitStatus::bad_input, "feature ", *id, " is out of range, expected an id below ",
         num_features);
  }
  const auto value = read_value({at + 1, static_cast<std::size_t>(end - at - 1)});
  if (!value) fail_token(token, "a number behind the colon");
  if (!std::isfinite(*value)) fail_token(token, "a finite value");
  out.features.push_back(*id);
  out.values.push_back(*value);
}

}  // namespace

std::optional<XmcHeader> parse_xmc_header(std::string_view line) {
  const auto words = split(trim(line), ' ');
  if (words.size() != 3) return std::nullopt;
  const auto points = parse_number<std::uint64_t>(words[0]);
  const auto features = parse_number<std::uint32_t>(words[1]);
  const auto labels = parse_number<std::uint32_t>(words[2]);
  if (!points || !features || !labels) return std::nullopt;
  return XmcHeader{*points, *features, *labels};
}

void parse_sparse_line(std::string_view line, std::uint64_t num_features, SparseLine& out) {
  out.features.clear();
  out.values.clear();
  line = line.substr(0, line.find('#'));
  const char* at = line.data();
  const char* const end = at + line.size();
  const char* label_end = std::find_if(at, end, is_space);
  if (std::find(at, label_end, ':') != label_end) label_end = at;  // no labels, features at once
  out.labels = {at, static_cast<std::size_t>(label_end - at)};
  bool ascending = true;
  for (at = label_end;;) {
    while (at != end && is_space(*at)) ++at;
    if (at == end) break;
    const char* token_end = at;
    while (token_end != end && !is_space(*token_end)) ++token_end;
    if (!std::string_view(at, static_cast<std::size_t>(token_end - at)).starts_with("qid:")) {
      parse_feature(at, token_end, num_features, out);
      const std::size_t n = out.features.size();
      ascending &= n < 2 || out.features[n - 2] < out.features[n - 1];
    }
    at = token_end;
  }
  if (!ascending) sort_by_feature(out);
}

void parse_label_ids(std::string_view text, std::uint64_t num_labels,
                     std::vector<std::uint32_t>& labels) {
  labels.clear();
  if (text.empty()) return;
  for (const char *at = text.data(), *end = at + text.size();; ++at) {
    const auto id = read_id(at, end, "label");
    if (!id || (at != end && *at != ',')) fail_token(text, "label ids >= 0 separated by commas");
    if (*id >= num_labels) {
      fail(ExitStatus::bad_input, "label ", *id, " is out of range, expected an id below ",
           num_labels);
    }
    labels.push_back(*id);
    if (at == end) break;
  }
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
}

}  // namespace frugal
