#pragma once
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace frugal {

/// Measures whether the numbers of a column lose the differences between them when 32-bit floats
/// store them: 1700000000 and 1700000010 become the same float. Numbers that are not finite are
/// left out.
class FloatLoss {
 public:
  void add(double exact, float stored) {
    if (!(exact - exact == 0)) return;
    if (exact < low_) low_ = exact;
    if (exact > high_) high_ = exact;
    const double error = exact > stored ? exact - stored : stored - exact;
    if (error <= error_) return;
    error_ = error;
    exact_ = exact;
    stored_ = stored;
  }
  /// Adds the numbers of the next rows.
  void add(const FloatLoss& next);

  /// True if the numbers added so far are so far apart that no further one can change lost().
  bool is_settled() const;
  /// True if the largest rounding error is more than a thousandth of the range of the numbers.
  /// Differences of the size of rounding errors of doubles are none.
  bool lost() const {
    const double size = high_ > -low_ ? high_ : -low_;
    return high_ - low_ > kNoise * size && error_ > kLargestShare * (high_ - low_);
  }
  /// Text with the loss and the remedy: "32-bit floats round 1700000010 to 1700000000, though the
  /// numbers differ by 20 at most; subtract 1700000000 from all". Needs lost().
  std::string text() const;

 private:
  static constexpr double kLargestShare = 1e-3, kNoise = 1e-12;

  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
  double error_ = 0, exact_ = 0, stored_ = 0;
};

/// Adds the losses of the next rows, column by column; `all` may be empty.
void add_losses(const std::vector<FloatLoss>& next, std::vector<FloatLoss>& all);

/// Warns of the columns that lose differences, the first by name. name(column): the file and the
/// column, for the message.
/// advice: what helps apart from subtracting a number, such as ", or ...".
void warn_of_losses(const std::vector<FloatLoss>& losses,
                    const std::function<std::string(std::size_t)>& name,
                    const std::string& advice = "");

}  // namespace frugal
