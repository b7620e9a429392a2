#include "libcore/report/axis.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdio>

namespace frugal {
namespace {

constexpr double kSlack = 1e-9;  // of a step: a tick at 0.30000000000000004 is at the edge 0.3

/// 10^exponent, exact where a double can be: pow(10, -3) need not be the double nearest to 0.001.
double power_of_ten(int exponent) {
  return exponent >= 0 ? std::pow(10.0, exponent) : 1 / std::pow(10.0, -exponent);
}

struct Step {
  int factor = 1;  // 1, 2 or 5
  int exponent = 0;
  double size() const { return times(1); }
  /// n steps; division by an exact power keeps 3 * 0.1 at 0.3.
  double times(double n) const {
    return exponent >= 0 ? n * factor * power_of_ten(exponent)
                         : n * factor / power_of_ten(-exponent);
  }
  /// The largest power of ten that is no larger than `size`.
  static Step below(double size) { return {1, static_cast<int>(std::floor(std::log10(size)))}; }
  Step larger() const {
    if (factor == 5) return {1, exponent + 1};
    return {factor == 1 ? 2 : 5, exponent};
  }
};

std::size_t ticks_within(const Step& step, double low, double high) {
  const double first = std::ceil(low / step.size() - kSlack);
  const double last = std::floor(high / step.size() + kSlack);
  return last < first ? 0 : static_cast<std::size_t>(last - first) + 1;
}

Step nice_step(double low, double high, std::size_t max_count, bool whole) {
  Step step = Step::below((high - low) / static_cast<double>(max_count));
  if (whole && step.exponent < 0) step = {1, 0};
  while (ticks_within(step, low, high) > max_count) step = step.larger();
  return step;
}

int decade(double value) { return static_cast<int>(std::floor(std::log10(value) + kSlack)); }

std::vector<double> powers(double low, double high, int every) {
  std::vector<double> ticks;
  for (int e = decade(low) - 1; e <= decade(high) + 1; ++e) {
    const double value = power_of_ten(e);
    const bool inside = value >= low * (1 - kSlack) && value <= high * (1 + kSlack);
    if (inside && e % every == 0) ticks.push_back(value);
  }
  return ticks;
}

std::vector<double> one_two_five(double low, double high) {
  std::vector<double> ticks;
  for (int e = decade(low) - 1; e <= decade(high) + 1; ++e) {
    for (const int factor : {1, 2, 5}) {
      const double value = Step{factor, e}.size();
      if (value >= low * (1 - kSlack) && value <= high * (1 + kSlack)) ticks.push_back(value);
    }
  }
  return ticks;
}

std::string fixed(double value, int decimals) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

std::string superscript(int number) {
  static constexpr std::array<const char*, 10> kDigits{"⁰", "¹", "²", "³", "⁴",
                                                       "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = number < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(number))) {
    out += kDigits[static_cast<std::size_t>(c - '0')];
  }
  return out;
}

/// 0.0002 -> "2×10⁻⁴".
std::string scientific(double value) {
  if (value == 0) return "0";
  const int exponent = decade(std::abs(value));
  const double mantissa = value / power_of_ten(exponent);
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", mantissa);
  const std::string power = "10" + superscript(exponent);
  return std::string(text.data()) == "1" ? power : std::string(text.data()) + "×" + power;
}

struct Unit {
  double size;
  const char* suffix;
};

Unit unit_for(double largest) {
  for (const Unit& unit : {Unit{1e12, "T"}, Unit{1e9, "G"}, Unit{1e6, "M"}}) {
    if (largest >= unit.size) return unit;
  }
  return largest >= 1e4 ? Unit{1e3, "k"} : Unit{1, ""};
}

/// Decimals without which `step` would not be told from 0, with all its digits: 0.25 -> 2.
int decimals_of(double step) {
  int decimals = 0;
  while (decimals < 9 && std::abs(step - std::round(step)) > 1e-6 * std::abs(step)) {
    step *= 10;
    ++decimals;
  }
  return decimals;
}

std::string linear_label(double value, const Unit& unit, int decimals) {
  if (value == 0) return "0";
  std::string text = fixed(value / unit.size, decimals) + unit.suffix;
  if (text[0] == '-') text.replace(0, 1, "−");
  return text;
}

std::string log_label(double value) {
  if (value < 0.999e-3 || value >= 1e15) return scientific(value);
  const Unit unit = value >= 0.999e3 && value < 1e4 ? Unit{1e3, "k"} : unit_for(value * 1.0001);
  return linear_label(value, unit, decimals_of(value / unit.size));
}

double smallest_gap(std::span<const double> ticks) {
  double gap = std::abs(ticks[0]);
  for (std::size_t i = 1; i < ticks.size(); ++i) {
    gap = i == 1 ? ticks[i] - ticks[i - 1] : std::min(gap, ticks[i] - ticks[i - 1]);
  }
  return gap;
}

}  // namespace

std::vector<double> nice_ticks(double low, double high, std::size_t max_count, bool whole) {
  const Step step = nice_step(low, high, max_count, whole);
  const double first = std::ceil(low / step.size() - kSlack);
  std::vector<double> ticks(ticks_within(step, low, high));
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const double n = first + static_cast<double>(i);
    ticks[i] = n == 0 ? 0 : step.times(n);
  }
  return ticks;
}

std::vector<double> log_ticks(double low, double high, std::size_t max_count) {
  if (high / low < 5) return nice_ticks(low, high, max_count);
  std::vector<double> ticks = one_two_five(low, high);
  for (int every = 1; ticks.size() > max_count; ++every) ticks = powers(low, high, every);
  return ticks;
}

std::vector<std::string> tick_labels(std::span<const double> ticks, bool log) {
  std::vector<std::string> labels;
  if (ticks.empty()) return labels;
  const double largest = std::max(std::abs(ticks.front()), std::abs(ticks.back()));
  const bool tiny = !log && largest < 1e-3;
  const Unit unit = unit_for(largest);
  const int decimals = decimals_of(smallest_gap(ticks) / unit.size);
  for (const double tick : ticks) {
    labels.push_back(log    ? log_label(tick)
                     : tiny ? scientific(tick)
                            : linear_label(tick, unit, decimals));
  }
  return labels;
}

bool is_drawable(double value, bool log) {
  constexpr double kLargest = 1e290;  // differences and decades stay finite
  return std::abs(value) <= kLargest && (!log || value >= 1 / kLargest);
}

std::optional<AxisRange> range_of(std::span<const double> values, bool log) {
  std::optional<AxisRange> range;
  for (const double v : values) {
    if (!is_drawable(v, log)) continue;
    if (!range) range = {v, v, log, !log};
    range->low = std::min(range->low, v);
    range->high = std::max(range->high, v);
    range->whole = range->whole && v == std::round(v);
  }
  if (!range) return range;
  const double largest = std::max(std::abs(range->low), std::abs(range->high));
  if (range->high - range->low > 1e-12 * largest + 1e-290) return range;
  const double room = largest < 1e-280 ? 1 : largest / 10;
  return log ? AxisRange{range->low / 2, range->high * 2, log}
             : AxisRange{range->low - room, range->high + room, log, range->whole};
}

AxisRange widened(const AxisRange& range, std::size_t max_ticks) {
  assert(max_ticks >= 3);
  if (!range.log) {
    Step step = Step::below((range.high - range.low) / static_cast<double>(max_ticks));
    if (range.whole && step.exponent < 0) step = {5, -1};  // the next larger is 1
    double first = 0, last = 0;
    do {
      step = step.larger();
      first = std::floor(range.low / step.size() + kSlack);
      last = std::ceil(range.high / step.size() - kSlack);
    } while (last - first + 1 > static_cast<double>(max_ticks));
    return {step.times(first), step.times(last), false, range.whole};
  }
  const std::vector<double> around = one_two_five(range.low / 10, range.high * 10);
  AxisRange out = range;
  for (const double tick : around) {
    if (tick <= range.low * (1 + kSlack)) out.low = tick;
  }
  for (auto tick = around.rbegin(); tick != around.rend(); ++tick) {
    if (*tick >= range.high * (1 - kSlack)) out.high = *tick;
  }
  return out;
}

Axis::Axis(const AxisRange& range, double start, double end, std::size_t max_ticks)
    : range_(range), start_(start), end_(end) {
  ticks_ = range.log ? log_ticks(range.low, range.high, max_ticks)
                     : nice_ticks(range.low, range.high, max_ticks, range.whole);
  labels_ = tick_labels(ticks_, range.log);
}

double Axis::pixel(double value) const {
  const auto scale = [this](double v) { return range_.log ? std::log(v) : v; };
  const double low = scale(range_.low);
  return start_ + (end_ - start_) * ((scale(value) - low) / (scale(range_.high) - low));
}

}  // namespace frugal
