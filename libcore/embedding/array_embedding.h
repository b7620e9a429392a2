#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/embedding/embedding.h"
#include "libcore/embedding/parameter_array.h"

namespace frugal {

class BlockSink;

/// Tables whose numbers all lie in one array, which is trained, rounded and stored as a whole.
class ArrayEmbedding : public Embedding {
 public:
  /// Passes the gradient of each number of the array to the sink, sample by sample, instead of
  /// step(). Ranks that share the array add up these gradients and then step the lines of sums.
  /// gradient: [samples, tables * dim], or empty: only the numbers are passed.
  virtual void visit_blocks(MatrixView<const std::uint32_t> rows, MatrixView<const float> gradient,
                            BlockSink& sink) const = 0;
  /// Steps lines of the array. lines: as in LineSums; sums: [lines, LineSums::kLine]. Sums of equal
  /// lines are added first.
  void step_lines(std::span<const std::uint64_t> lines, std::span<const float> sums, float rate,
                  ParameterPart part);

  std::uint64_t num_parameters() const override { return array_.size(); }
  std::uint64_t num_bytes() const override { return array_.num_bytes(); }
  void prepare_training(const OptimizerOptions& optimizer) override {
    array_.prepare_training(optimizer);
  }
  void save_state(Document& document) const override { array_.save_state(kState, document); }
  void load_state(Document& document, const std::string& path) override {
    try {
      array_.load_state(document, kState);
    } catch (const Error& error) {
      fail(ExitStatus::bad_input, path, ": ", error.what());
    }
  }

  std::uint64_t refresh_interval(std::size_t samples) const override {
    return array_.needs_scales() ? 1 + array_.size() / (samples * tables().size() * tables().dim())
                                 : 0;
  }
  void refresh() override {
    if (array_.needs_scales()) array_.refresh_scales();
  }

  ParameterArray& array() { return array_; }
  const ParameterArray& array() const { return array_; }

 protected:
  /// Names of tensors in files.
  static constexpr const char* kArray = "embedding.array";
  static constexpr const char* kState = "embedding.state";

  explicit ArrayEmbedding(TableSet tables) : Embedding(std::move(tables)) {}

  ParameterArray array_;
};

}  // namespace frugal
