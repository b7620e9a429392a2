#pragma once
#include <string>

#include "libcore/base/rng.h"
#include "tools/robe-compress/run/training.h"
#include "tools/robe-compress/serve/evaluate.h"

namespace frugal::robe {

/// Clicks that depend on a user and an item, of which some are frequent.
inline std::string click_text(int samples, std::uint64_t seed) {
  std::string text = "click,user,item,x\n";
  Rng rng(seed);
  for (int i = 0; i < samples; ++i) {
    const std::uint64_t user = rng.below(1 + rng.below(200)), item = rng.below(1 + rng.below(60));
    const bool click = (mix64(user) ^ mix64(item + 999)) % 10 < (user % 2 == 0 ? 8U : 2U);
    text += std::to_string(click) + ",u" + std::to_string(user) + ",i" + std::to_string(item) +
            ",0." + std::to_string(rng.below(10)) + "\n";
  }
  return text;
}

inline TrainOptions small_options(const std::string& data) {
  TrainOptions o;
  o.data = data;
  o.dim = 8;
  o.network.bottom = {8};
  o.network.top = {16};
  o.batch_size = 32;
  o.embedding.compression = 3;
  return o;
}

inline BinaryMetrics metrics_of(const std::string& model, const std::string& data) {
  EvalOptions options;
  options.model = model;
  options.data = data;
  return evaluate_model(options, {}).metrics;
}

}  // namespace frugal::robe
