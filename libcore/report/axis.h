#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace frugal {

/// Ticks at multiples of 1, 2 or 5 times a power of ten within [low, high], at most max_count
/// (max_count >= 2, low < high). whole: only whole numbers.
std::vector<double> nice_ticks(double low, double high, std::size_t max_count, bool whole = false);

/// Ticks of a logarithmic axis within [low, high], 0 < low < high. Powers of ten, every n-th if
/// there are many, with 2 and 5 between them if there are few; nice_ticks() within one decade.
std::vector<double> log_ticks(double low, double high, std::size_t max_count);

/// Labels of the ticks of one axis, all with as many decimals as needed to distinguish them: 0,
/// 0.5, 1.0; 20k; 10⁻⁴.
std::vector<std::string> tick_labels(std::span<const double> ticks, bool log);

/// Range and scale of an axis.
struct AxisRange {
  double low = 0;
  double high = 1;
  bool log = false;
  bool whole = false;  ///< only whole numbers get ticks: epochs, trees, steps
};

/// Whether a value can be drawn: finite and below 1e290; on a log axis also positive.
bool is_drawable(double value, bool log);

/// Range of the drawable values; nothing if there are none. A single value gets space on both
/// sides. `whole` is set if all values are whole numbers.
std::optional<AxisRange> range_of(std::span<const double> values, bool log);

/// The range widened to the ticks around it, max_ticks >= 3.
AxisRange widened(const AxisRange& range, std::size_t max_ticks);

/// Maps values to pixels from `start` to `end` (either may be larger).
class Axis {
 public:
  Axis() = default;
  Axis(const AxisRange& range, double start, double end, std::size_t max_ticks);

  double pixel(double value) const;
  const AxisRange& range() const { return range_; }
  double start() const { return start_; }
  double end() const { return end_; }
  const std::vector<double>& ticks() const { return ticks_; }
  const std::vector<std::string>& labels() const { return labels_; }

 private:
  AxisRange range_;
  double start_ = 0;
  double end_ = 1;
  std::vector<double> ticks_;
  std::vector<std::string> labels_;
};

}  // namespace frugal
