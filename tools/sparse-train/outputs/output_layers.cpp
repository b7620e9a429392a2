#include "tools/sparse-train/outputs/output_layers.h"

#include <algorithm>
#include <utility>

#include "tools/sparse-train/outputs/active_set.h"
#include "tools/sparse-train/outputs/gathered_rows.h"

namespace frugal::sparse {
namespace {

class DenseOutput : public BlockedOutput {
 public:
  DenseOutput(Network& network, const Dataset& data, const OutputOptions& options,
              LabelRange labels)
      : BlockedOutput(network, options), data_(data), labels_(labels) {}

  void prepare(std::uint64_t, std::span<const std::uint32_t> examples) override {
    next_ = examples;
  }
  void advance() override {
    examples_ = next_;
    set_active(labels_.size(), labels_.begin);
  }

 protected:
  MatrixView<const float> rows(std::size_t begin, std::size_t end) const override {
    return std::as_const(network_.labels)
        .weights()
        .rows_between(begin - network_.first_label, end - network_.first_label);
  }
  std::uint32_t label_at(std::size_t output) const override {
    return static_cast<std::uint32_t>(output);
  }
  std::span<const std::uint32_t> targets_of(std::size_t k) const override {
    return data_.labels_of(examples_[k]);
  }

 private:
  const Dataset& data_;
  LabelRange labels_;
  std::span<const std::uint32_t> next_;
  std::span<const std::uint32_t> examples_;
};

/// Selects in stages: those of the source of hard candidates, their search, their union with the
/// labels and the drawn ones, and the rows side by side.
class SharedOutput : public BlockedOutput {
 public:
  SharedOutput(Network& network, const Dataset& data, const OutputOptions& options,
               CandidateSource* hard)
      : BlockedOutput(network, options),
        hard_(hard),
        builder_(data, options.negatives, options.seed),
        found_(hard == nullptr ? 0 : options.batch_size) {}

  SharedOutput(Network& network, const Dataset& data, const OutputOptions& options,
               std::unique_ptr<CandidateSource> hard)
      : SharedOutput(network, data, options, hard.get()) {
    owned_ = std::move(hard);
  }

  void prepare(std::uint64_t batch, std::span<const std::uint32_t> examples) override {
    builder_.build(batch, examples, next_);
  }
  void advance() override {
    std::swap(current_, next_);
    if (hard_ == nullptr) begin_batch();
  }

  OutputFigures figures() const override {
    return hard_ == nullptr ? OutputFigures{} : hard_->figures();
  }
  void save(Document& state) const override {
    if (hard_ != nullptr) hard_->save(state);
  }
  void restore(const Document& state, const std::string& path) override {
    if (hard_ != nullptr) hard_->restore(state, path);
  }

 protected:
  std::size_t num_selections() const override {
    return hard_ == nullptr ? 1 : hard_->num_stages() + 3;
  }
  std::size_t selection_pieces(std::size_t stage, const Batch& batch) const override;
  void select(std::size_t stage, std::size_t piece, const Batch& batch) override;

  MatrixView<const float> rows(std::size_t begin, std::size_t end) const override {
    return gathered_.between(begin, end);
  }
  std::uint32_t label_at(std::size_t output) const override { return current_.labels[output]; }
  std::span<const std::uint32_t> targets_of(std::size_t k) const override {
    return current_.targets.of(k);
  }
  std::span<const std::uint32_t> hard_of(std::size_t k) const override {
    if (hard_ == nullptr) return {};
    return current_.hard.of(k);
  }
  std::span<const float> log_inclusion() const override {
    if (!options_.correct_sampling) return {};
    return current_.log_inclusion;
  }

 private:
  static constexpr std::size_t kSearchExamples = 8;  ///< a piece of the search

  void begin_batch();
  void search(std::size_t piece, const Batch& batch);
  void gather(std::size_t piece);

  CandidateSource* hard_;
  std::unique_ptr<CandidateSource> owned_;
  SharedActiveSet builder_;
  ActiveSet next_;
  ActiveSet current_;
  std::vector<std::vector<std::uint32_t>> found_;  ///< [batch] candidates
  GatheredRows gathered_;
};

std::size_t SharedOutput::selection_pieces(std::size_t stage, const Batch& batch) const {
  const std::size_t gather_stage = num_selections() - 1;
  if (stage == gather_stage) return (current_.labels.size() + kBlock - 1) / kBlock;
  if (stage + 1 == gather_stage) return 1;
  if (stage + 2 == gather_stage) return (batch.size() + kSearchExamples - 1) / kSearchExamples;
  return hard_->num_pieces(stage, batch);
}

void SharedOutput::select(std::size_t stage, std::size_t piece, const Batch& batch) {
  const std::size_t gather_stage = num_selections() - 1;
  if (stage == gather_stage) return gather(piece);
  if (stage + 1 == gather_stage) {
    builder_.add_candidates({found_.data(), batch.size()}, *hard_, current_);
    return begin_batch();
  }
  if (stage + 2 == gather_stage) return search(piece, batch);
  hard_->run(stage, piece, batch);
}

void SharedOutput::begin_batch() {
  gathered_.begin(0, current_.labels.size(), network_.labels.dim());
  set_active(current_.labels.size());
}

void SharedOutput::search(std::size_t piece, const Batch& batch) {
  const std::size_t end = std::min((piece + 1) * kSearchExamples, batch.size());
  for (std::size_t k = piece * kSearchExamples; k < end; ++k) {
    found_[k].clear();
    hard_->candidates(batch, k, found_[k]);
  }
}

void SharedOutput::gather(std::size_t piece) {
  const std::size_t begin = piece * kBlock, end = std::min(begin + kBlock, num_active());
  gathered_.gather(network_, current_.labels, log_inclusion(), {begin, end});
}

}  // namespace

std::unique_ptr<OutputLayer> make_dense_output(Network& network, const Dataset& data,
                                               const OutputOptions& options) {
  return make_dense_part(network, data, options, {0, network.shape.num_labels});
}

std::unique_ptr<BlockedOutput> make_dense_part(Network& network, const Dataset& data,
                                               const OutputOptions& options, LabelRange labels) {
  return std::make_unique<DenseOutput>(network, data, options, labels);
}

std::unique_ptr<OutputLayer> make_shared_output(Network& network, const Dataset& data,
                                                const OutputOptions& options,
                                                CandidateSource* hard) {
  return std::make_unique<SharedOutput>(network, data, options, hard);
}

std::unique_ptr<OutputLayer> make_shared_output(Network& network, const Dataset& data,
                                                const OutputOptions& options,
                                                std::unique_ptr<CandidateSource> hard) {
  return std::make_unique<SharedOutput>(network, data, options, std::move(hard));
}

}  // namespace frugal::sparse
