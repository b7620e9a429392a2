#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/kernels/kernel_arguments.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/tgn-train/history/link_keys.h"

namespace frugal::tgn {

/// Inputs of a mix: the keys of a pair, then the network's logit. If events have edge types, the
/// keys within the type that is asked about follow.
inline constexpr std::size_t kMixInputs = kNumLinkKeys + 1, kNetworkInput = kNumLinkKeys;
inline constexpr std::size_t kTypedInput = kMixInputs, kTypedMixInputs = kMixInputs + kNumLinkKeys;
std::string mix_input_name(std::size_t input);

/// An order of candidates without learning, which a mix begins with. A local key decides first. A
/// global key orders the candidates whose local key is kNever.
struct MixStart {
  std::string_view name;  ///< e.g. "link_recency,destination_recency", as in RecencyPopularity
  enum class Local : std::uint8_t { none, link, pair, cooccurrence } local = Local::none;
  LinkKey global = LinkKey::destination_count;
  bool typed = false;  ///< by keys within the type

  /// First input of the keys that it reads.
  std::size_t first_input() const { return typed ? kTypedInput : 0; }
};
/// typed: also those within the type.
std::span<const MixStart> mix_starts(bool typed = false);
/// Score of a pair in the order of the start: 1 plus its local score, or its global score if the
/// local one is 0. It is at most 2, or 3 for co-occurrence. inputs: all inputs of the pair.
float start_score(const MixStart& start, const float* inputs);
float local_score(const MixStart& start, const float* inputs);
/// Score by the global key alone. value: that of start.global.
float global_score(const MixStart& start, float value);

/// Writes the keys of a pair, kNumLinkKeys or twice as many, to their places in its inputs.
void place_keys(const float* keys, std::size_t width, float* inputs);

/// Logit of a pair as a sum of one function for each input, and a multiple of the score of a
/// MixStart. A function is linear between kKnots equidistant points and constant outside of them,
/// and has a value of its own for kNever: a generalised additive model (Hastie, Tibshirani, 1986).
class KeyMix {
 public:
  static constexpr std::size_t kKnots = PiecewiseLinear::kKnots, kWeights = kKnots + 1;

  /// Two knots of a function, and their shares of the value.
  struct Place {
    std::size_t left = 0;  ///< number of the left knot's weight; the right one's is the next
    float share = 0;       ///< of the right knot
  };

  KeyMix() = default;
  /// Begins as the start's score; ranges: the first and the last knot of each input, kMixInputs or
  /// kTypedMixInputs.
  KeyMix(const MixStart& start, std::span<const std::array<float, 2>> ranges);

  std::size_t num_inputs() const { return ranges_.size(); }
  bool typed() const { return num_inputs() == kTypedMixInputs; }
  /// Logit of a pair. inputs: num_inputs() values.
  float logit(const float* inputs) const;
  /// Adds an input's function of x[i] to sums[i].
  void add_function(std::size_t input, std::span<const float> x, float* sums) const;
  /// Mixes the network's logits of the source with each candidate into its own, in place. keys:
  /// [candidates, num_inputs() - 1].
  void mix(std::span<const float> keys, std::span<float> logits) const;
  /// Value of an input's function.
  float part(std::size_t input, float value) const {
    const Place p = place(input, value);
    return (1 - p.share) * weights[p.left] + p.share * weights[p.left + 1];
  }
  Place place(std::size_t input, float value) const {
    constexpr auto kLast = static_cast<float>(kKnots - 1);
    const std::size_t first = input * kWeights;
    if (!(value > kNever)) return {first + kKnots - 1, 1};
    const float scaled = (value - ranges_[input][0]) * ranges_[input][1];
    const float at = scaled > 0 ? (scaled < kLast ? scaled : kLast) : 0;
    const int left = at < kLast ? static_cast<int>(at) : static_cast<int>(kKnots) - 2;
    return {first + static_cast<std::size_t>(left), at - static_cast<float>(left)};
  }

  const MixStart& start() const { return *start_; }
  /// Factor of the start's score, and the constant.
  float scale = 1, bias = 0;
  /// [num_inputs(), kWeights] values at the knots, then at kNever
  std::vector<float> weights = std::vector<float>(kMixInputs * kWeights);
  /// Adds the mix to a document, as tensors with that prefix, or reads it. Reading fails
  /// (bad_input) with `path`. typed: of a stream with edge types.
  void save(Document& document, const std::string& prefix) const;
  static KeyMix load(const Document& document, const std::string& path, const std::string& prefix,
                     const MixStart& start, bool typed);

 private:
  const MixStart* start_ = nullptr;
  /// First knot and knots in a unit, of each input.
  std::vector<std::array<float, 2>> ranges_ = std::vector<std::array<float, 2>>(kMixInputs);
};

/// Answers of a model: a mix of keys and the network's logit and, to choose the candidates
/// that the network is asked about, one of keys alone. The mix scores only the best by keys where
/// there are more than kShortlist candidates; all others rank after them, by keys.
struct LinkMix {
  static constexpr std::size_t kShortlist = 100;

  KeyMix mix, keys;
  double time_unit = 1;  ///< of the keys: LinkKeys

  /// Adds it to a model's document (tensors mix.*, keys tgn.mix_*), or reads it; has() is true for
  /// documents with one. Reading fails (bad_input) with `path`.
  void save(Document& document) const;
  static bool has(const Document& document);
  static LinkMix load(const Document& document, const std::string& path, bool typed = false);
};

}  // namespace frugal::tgn
