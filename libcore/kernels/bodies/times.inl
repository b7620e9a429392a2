// Time encodings. Phases are counted in turns and reduced to half a turn around 0 in double: in
// float a Unix time is only known to a minute or two.
#pragma once
#include "libcore/kernels/bodies/vec.h"
#include "libcore/kernels/kernels.h"

namespace frugal {
namespace {

/// Rows that are encoded before the next columns: the lines that they are written to stay in the
/// first-level cache.
inline constexpr std::size_t kTimeRows = 32;

/// sin(2 pi x) for x in [-1/4, 1/4]: minimax polynomial in x^2, error below 7e-9.
inline Vec sine_of_turn(Vec x) {
  const Vec square = x * x;
  Vec p = splat(39.76161706596664f);
  for (const float c :
       {-76.58139647439052f, 81.60248511680511f, -41.341680722779785f, 6.28318528036842f}) {
    p = p * square + c;
  }
  return p * x;
}

inline Vec magnitude(Vec v) {
  return reinterpret_cast<Vec>(reinterpret_cast<UVec>(v) & 0x7fffffffu);
}
inline Vec with_sign_of(Vec magnitude, Vec sign) {
  return reinterpret_cast<Vec>(reinterpret_cast<UVec>(magnitude) |
                               (reinterpret_cast<UVec>(sign) & 0x80000000u));
}

/// The phases w dt + b of a vector of columns, in turns.
class Turns {
 public:
  Turns(Vec w, Vec b)
      : w_low_(widen_low(w) * kTurnsPerRadian),
        w_high_(widen_high(w) * kTurnsPerRadian),
        b_low_(widen_low(b) * kTurnsPerRadian),
        b_high_(widen_high(b) * kTurnsPerRadian) {}
  /// In [-1/2, 1/2].
  Vec fraction(double dt) const {
    const DVec low = w_low_ * dt + b_low_, high = w_high_ * dt + b_high_;
    return narrow(low - round(low), high - round(high));
  }

 private:
  static constexpr double kTurnsPerRadian = 0.15915494309189535;
  DVec w_low_, w_high_, b_low_, b_high_;
};

/// body(first row, last row, column, lanes, the phases of these columns).
template <class Body>
inline void for_each_time_block(const TimeEncoding& args, Body body) {
  const TimeEncoding a = args;
  for (std::size_t begin = 0; begin < a.rows; begin += kTimeRows) {
    const std::size_t end = a.rows - begin < kTimeRows ? a.rows : begin + kTimeRows;
    for_each_vec(a.dim, [&](std::size_t j, const auto& lanes) {
      body(begin, end, j, lanes, Turns(lanes.load(a.w + j), lanes.load(a.b + j)));
    });
  }
}

void time_encode(const TimeEncoding& args, float* out, std::size_t out_stride) {
  const double* dt = args.dt;
  for_each_time_block(args, [=](std::size_t begin, std::size_t end, std::size_t j,
                                const auto& lanes, const Turns& turns) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vec x = turns.fraction(dt[i]);
      lanes.store(out + i * out_stride + j, sine_of_turn(0.25f - magnitude(x)));
    }
  });
}

void time_encode_backward(const TimeEncoding& args, const float* g, std::size_t g_stride, float* dw,
                          float* db) {
  const double* dt = args.dt;
  for_each_time_block(args, [=](std::size_t begin, std::size_t end, std::size_t j,
                                const auto& lanes, const Turns& turns) {
    Vec by_w{}, by_b{};
    for (std::size_t i = begin; i < end; ++i) {
      const Vec x = turns.fraction(dt[i]), ahead = magnitude(x), behind = 0.5f - ahead;
      const Vec sine = sine_of_turn(with_sign_of(select(ahead < behind, ahead, behind), x));
      const Vec term = sine * lanes.load(g + i * g_stride + j);
      by_b -= term;
      by_w -= term * static_cast<float>(dt[i]);
    }
    lanes.store(dw + j, lanes.load(dw + j) + by_w);
    lanes.store(db + j, lanes.load(db + j) + by_b);
  });
}

}  // namespace
}  // namespace frugal
