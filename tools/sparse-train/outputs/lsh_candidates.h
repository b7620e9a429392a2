#pragma once
#include <atomic>
#include <vector>

#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/outputs/candidate_source.h"
#include "tools/sparse-train/outputs/label_index.h"

namespace frugal::sparse {

/// Labels that hash tables or signatures find for the hidden units of an example: they have,
/// mostly, larger logits than labels drawn at random. How often each label is found is counted, for
/// the sampling correction; what was found long ago counts ever less.
class LshCandidates : public CandidateSource {
 public:
  /// Finds options.hard labels for an example. `network` and `data` must outlive the source.
  LshCandidates(const Network& network, const Dataset& data, const LshOptions& options,
                std::uint32_t batch_size);

  std::size_t num_stages() const override { return LabelIndex::kNumStages + 1; }
  std::size_t num_pieces(std::size_t stage, const Batch& batch) const override;
  void run(std::size_t stage, std::size_t piece, const Batch& batch) override;
  void candidates(const Batch& batch, std::size_t k,
                  std::vector<std::uint32_t>& out) const override;
  float frequency(std::uint32_t label) const override;

  OutputFigures figures() const override { return index_.figures(data_); }
  void save(Document& state) const override;
  void restore(const Document& state, const std::string& path) override;

 private:
  static constexpr std::size_t kChunk = 16;  ///< examples that are searched for as a unit

  const Dataset& data_;
  LabelIndex index_;
  std::vector<std::vector<std::uint32_t>> found_;  ///< [batch]
  /// [labels] examples that found it, and all that looked; sums do not depend on their order.
  mutable std::vector<std::atomic<std::uint32_t>> count_;
  mutable std::atomic<std::uint32_t> looked_{0};
};

}  // namespace frugal::sparse
