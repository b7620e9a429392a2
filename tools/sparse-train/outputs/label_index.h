#pragma once
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/tensors/tensor_file.h"
#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/lsh/lsh_index.h"
#include "tools/sparse-train/lsh/lsh_options.h"
#include "tools/sparse-train/lsh/signatures.h"
#include "tools/sparse-train/network/network.h"
#include "tools/sparse-train/outputs/output_layer.h"
#include "tools/sparse-train/scoring/scorer.h"

namespace frugal::sparse {

/// How good an index is on a probe of examples.
struct IndexQuality {
  double recall = 0;     ///< share of the 10 labels of the largest logits that it finds
  double chance = 0;     ///< recall of as many labels drawn at random
  double retrieved = 0;  ///< labels found for an example
  double deviation = 0;  ///< standard error of recall - chance
  bool better_than_chance() const { return recall > chance + 3 * deviation; }
};

/// Hash tables or signatures over the rows of a network's labels, without biases, looked up with
/// hidden units and built anew as training goes on. Each step has the stages begin (one piece,
/// mostly none) and rebuild; what is due is a function of the step.
class LabelIndex {
 public:
  static constexpr std::size_t kNumStages = 2;

  /// Builds all tables or signatures. `network` must outlive the index.
  LabelIndex(const Network& network, const LshOptions& options, std::uint64_t batches_per_epoch);

  std::size_t num_pieces(std::size_t stage, std::uint64_t step) const;
  void run(std::size_t stage, std::size_t piece, std::uint64_t step);
  /// Whether a rebuild begins at this step.
  bool rebuilds_at(std::uint64_t step) const;

  /// Labels for the hidden units of example i of h: [n, width + 1] to found[i], without repetition;
  /// order[i] decides between equals. codes: working memory that afterwards holds the code of
  /// example i in table t at t * n + i; nothing where signatures are used.
  void search(MatrixView<const float> h, std::span<const Rng> order,
              std::vector<std::uint32_t>& codes, std::span<std::vector<std::uint32_t>> found) const;

  /// From freeze_after epochs on tables are not built any more; labels that were not found for
  /// their own examples are put where these looked (as BOLT does), from the next of some steps on.
  bool frozen(std::uint64_t step) const {
    return options_.settings.freeze_after != 0 && step >= freeze_step_;
  }
  void insert_later(const HashTables::Entry& entry);

  const LshOptions& options() const { return options_; }
  IndexQuality quality(const Dataset& data) const;
  /// Quality, rebuilds and their seconds, summed over threads; says when it is no better than
  /// chance.
  OutputFigures figures(const Dataset& data) const;

  /// Everything that depends on weights of the past, as tensors "lsh.*".
  void save(Document& state) const;
  void restore(const Document& state, const std::string& path);

 private:
  struct Range {
    std::size_t begin = 0, end = 0;
  };
  struct ExampleQuality {
    double recall, retrieved;
  };
  double rebuild_seconds() const;
  RebuildSchedule::Position last_rebuild(std::uint64_t step) const;
  std::size_t num_parts() const;
  Range parts_due(std::uint64_t step) const;
  void begin(std::uint64_t step);
  void build(std::size_t begin, std::size_t end);
  ExampleQuality quality_of(const Dataset& data, std::size_t k,
                            std::span<const ScoredLabel> best) const;
  MatrixView<const float> rows() const;

  const Network& network_;
  LshOptions options_;
  std::uint64_t freeze_step_;
  std::optional<LshIndex> tables_;  ///< one of both
  std::optional<Signatures> signatures_;
  std::mutex mutex_;  ///< of missed_, whose order does not matter
  std::vector<HashTables::Entry> missed_;
  std::uint64_t rebuilds_ = 0;   ///< up to the last step that began one
  std::vector<double> seconds_;  ///< of begin and each piece of rebuild
};

}  // namespace frugal::sparse
