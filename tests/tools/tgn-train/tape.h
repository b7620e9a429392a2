#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

// Numbers that remember how they were computed, so that a gradient needs no formulas of its own.
namespace frugal::tgn::plain {

/// Every number computed from variables, with the derivatives by what it was computed from.
class Tape {
 public:
  static Tape& current() {
    static thread_local Tape tape;
    return tape;
  }
  void clear() {
    ends_.clear();
    from_.clear();
    slopes_.clear();
  }
  /// Of a number that is computed from `from`.
  void add_slope(std::int32_t from, double slope) {
    if (from < 0) return;
    from_.push_back(from);
    slopes_.push_back(slope);
  }
  bool has_slopes() const { return from_.size() > (ends_.empty() ? 0 : ends_.back()); }
  /// The number that the slopes since the last one belong to.
  std::int32_t add_number() {
    ends_.push_back(from_.size());
    return static_cast<std::int32_t>(ends_.size() - 1);
  }
  /// The derivatives of number `of` by all numbers.
  std::vector<double> derivatives(std::int32_t of) const {
    std::vector<double> by(ends_.size());
    if (of < 0) return by;
    by[static_cast<std::size_t>(of)] = 1;
    for (std::size_t i = ends_.size(); i-- > 0;) {
      if (by[i] == 0) continue;
      for (std::size_t e = i == 0 ? 0 : ends_[i - 1]; e < ends_[i]; ++e) {
        by[static_cast<std::size_t>(from_[e])] += slopes_[e] * by[i];
      }
    }
    return by;
  }

 private:
  std::vector<std::size_t> ends_;   ///< of each number's slopes
  std::vector<std::int32_t> from_;  ///< number
  std::vector<double> slopes_;
};

struct Number {
  double value = 0;
  std::int32_t place = -1;  ///< on the tape; -1: constant

  Number() = default;
  Number(double constant) : value(constant) {}  // NOLINT: constants are numbers
  static Number variable(double value) {
    Number x(value);
    x.place = Tape::current().add_number();
    return x;
  }
  /// The result of a function of other numbers, whose slopes were just added.
  static Number result(double value) {
    Number x(value);
    if (Tape::current().has_slopes()) x.place = Tape::current().add_number();
    return x;
  }
  /// The same, a constant.
  Number fixed() const { return {value}; }
};

using Numbers = std::vector<Number>;

inline Number function(const Number& x, double value, double slope) {
  Tape::current().add_slope(x.place, slope);
  return Number::result(value);
}
inline Number operator+(const Number& x, const Number& y) {
  Tape::current().add_slope(x.place, 1);
  Tape::current().add_slope(y.place, 1);
  return Number::result(x.value + y.value);
}
inline Number operator-(const Number& x, const Number& y) {
  Tape::current().add_slope(x.place, 1);
  Tape::current().add_slope(y.place, -1);
  return Number::result(x.value - y.value);
}
inline Number operator*(const Number& x, const Number& y) {
  Tape::current().add_slope(x.place, y.value);
  Tape::current().add_slope(y.place, x.value);
  return Number::result(x.value * y.value);
}
inline Number operator/(const Number& x, const Number& y) {
  Tape::current().add_slope(x.place, 1 / y.value);
  Tape::current().add_slope(y.place, -x.value / (y.value * y.value));
  return Number::result(x.value / y.value);
}
/// start + sum x[i] y[i].
inline Number dot(const Number& start, std::span<const Number> x, std::span<const Number> y) {
  double sum = start.value;
  Tape::current().add_slope(start.place, 1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += x[i].value * y[i].value;
    Tape::current().add_slope(x[i].place, y[i].value);
    Tape::current().add_slope(y[i].place, x[i].value);
  }
  return Number::result(sum);
}
inline Number log(const Number& x) { return function(x, std::log(x.value), 1 / x.value); }
inline Number exp(const Number& x) {
  const double y = std::exp(x.value);
  return function(x, y, y);
}
inline Number cos(const Number& x) { return function(x, std::cos(x.value), -std::sin(x.value)); }
inline Number tanh(const Number& x) {
  const double y = std::tanh(x.value);
  return function(x, y, 1 - y * y);
}
inline Number sigmoid(const Number& x) {
  const double y = 1 / (1 + std::exp(-x.value));
  return function(x, y, y * (1 - y));
}
inline Number relu(const Number& x) { return x.value > 0 ? function(x, x.value, 1) : Number(0); }
/// log(1 + exp(x)).
inline Number softplus(const Number& x) {
  const double y = std::max(x.value, 0.0) + std::log1p(std::exp(-std::abs(x.value)));
  return function(x, y, 1 / (1 + std::exp(-x.value)));
}

inline Numbers fixed(const Numbers& x) {
  Numbers y;
  for (const Number& n : x) y.push_back(n.fixed());
  return y;
}
inline std::vector<double> values(const Numbers& x) {
  std::vector<double> y;
  for (const Number& n : x) y.push_back(n.value);
  return y;
}
inline Numbers joined(std::initializer_list<Numbers> parts) {
  Numbers all;
  for (const Numbers& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace frugal::tgn::plain
