#pragma once

namespace frugal::tgn {

/// Features of pairs are of the order of 1; the decoder gets them so many times larger, and draws
/// their weights so many times smaller: with Adam these then learn so many times faster than the
/// others, whose inputs change as they learn. On Wikipedia's edits two epochs of --architecture
/// tgn-id
/// --memory-dim 64 then rank destinations among all with a mean reciprocal rank of 0.808, else
/// 0.784. A power of two: no bit is lost.
inline constexpr float kPairScale = 8;

}  // namespace frugal::tgn
