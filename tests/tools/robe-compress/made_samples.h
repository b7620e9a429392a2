#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/rng.h"
#include "libcore/embedding/embedding_methods.h"
#include "libcore/threading/parallel.h"
#include "tools/robe-compress/model/click_model.h"
#include "tools/robe-compress/steps/trainer.h"

namespace frugal::robe {

inline constexpr std::size_t kFields = 3, kNumbers = 2, kDim = 8;

/// Samples whose click depends on the rows of two fields.
class MadeBatches : public ClickBatches {
 public:
  explicit MadeBatches(std::size_t samples) : left_(samples) {}
  bool next(ClickBatch& batch, std::size_t max_size) override {
    batch.size = std::min(left_, max_size);
    left_ -= batch.size;
    batch.num_fields = kFields;
    batch.num_numbers = kNumbers;
    batch.rows.clear();
    batch.numbers.clear();
    batch.labels.clear();
    for (std::size_t i = 0; i < batch.size; ++i) {
      const auto a = static_cast<std::uint32_t>(rng_.below(300));
      const auto b = static_cast<std::uint32_t>(rng_.below(20));
      const auto c = static_cast<std::uint32_t>(rng_.below(5));
      batch.rows.insert(batch.rows.end(), {a, b, c});
      batch.numbers.push_back(static_cast<float>(rng_.uniform(-1, 1)));
      batch.numbers.push_back(number_);
      batch.labels.push_back((a + b) % 3 == 0 ? 1.0F : 0.0F);
    }
    return batch.size > 0;
  }
  void poison() { number_ = std::numeric_limits<float>::quiet_NaN(); }

 private:
  std::size_t left_;
  float number_ = 0.5F;
  Rng rng_{11};
};

struct Model {
  explicit Model(const std::string& method = "robe") {
    EmbeddingOptions options;
    options.method = method;
    options.compression = method == "full" ? 1 : 4;
    const TableSet tables({{"a", 300}, {"b", 20}, {"c", 5}}, kDim);
    embedding = make_embedding(tables, options, {});
    NetworkOptions network_options;
    network_options.bottom = {16};
    network_options.top = {32, 16};
    network = make_network(network_options, {kNumbers, kFields, kDim}, 1);
  }
  std::vector<float> answers() const {
    ClickBatch batch;
    MadeBatches(200).next(batch, 200);
    ClickPredictor predictor(*embedding, *network);
    const std::span<const float> logits = predictor.logits(batch);
    return {logits.begin(), logits.end()};
  }
  std::unique_ptr<Embedding> embedding;
  std::unique_ptr<Network> network;
};

inline TrainerSetup setup_of(OptimizerKind kind, std::size_t batch_size = 50) {
  TrainerSetup setup;
  setup.batch_size = batch_size;
  setup.optimizer.kind = kind;
  setup.embedding_schedule =
      setup.network_schedule = {.kind = ScheduleKind::constant, .peak = 0.05};
  return setup;
}

inline bool go_on() { return false; }

/// Restores the number of threads at the end of a test.
struct Threads {
  explicit Threads(int n) : before(num_threads()) { set_num_threads(n); }
  ~Threads() { set_num_threads(before); }
  int before;
};

}  // namespace frugal::robe
