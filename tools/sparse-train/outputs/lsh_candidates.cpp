#include "tools/sparse-train/outputs/lsh_candidates.h"

#include <algorithm>

#include "libcore/base/error.h"

namespace frugal::sparse {
namespace {

constexpr std::uint64_t kCandidatesStream = 16;
constexpr std::uint64_t kForgetSteps = 100;  ///< after which what was counted counts half

LshOptions hardest(LshOptions options) {
  const bool tables = options.uses_tables();
  options.query = {tables ? QueryMode::top_k : QueryMode::agreement, options.settings.hard, 0};
  return options;
}

}  // namespace

LshCandidates::LshCandidates(const Network& network, const Dataset& data, const LshOptions& options,
                             std::uint32_t batch_size)
    : data_(data),
      index_(network, hardest(options), (data.size() + batch_size - 1) / batch_size),
      found_(batch_size),
      count_(network.labels.rows()) {}

std::size_t LshCandidates::num_pieces(std::size_t stage, const Batch& batch) const {
  if (stage < LabelIndex::kNumStages) return index_.num_pieces(stage, batch.number);
  return (batch.size() + kChunk - 1) / kChunk;
}

void LshCandidates::run(std::size_t stage, std::size_t piece, const Batch& batch) {
  if (stage < LabelIndex::kNumStages) return index_.run(stage, piece, batch.number);
  thread_local std::vector<std::uint32_t> codes;
  thread_local std::vector<Rng> order;
  const std::size_t begin = piece * kChunk, end = std::min(begin + kChunk, batch.size());
  order.clear();
  for (std::size_t k = begin; k < end; ++k) {
    order.emplace_back(
        index_.options().hash.seed,
        hash_combine(kCandidatesStream, hash_combine(batch.number, batch.examples[k])));
  }
  index_.search(batch.hidden.rows_between(begin, end), order, codes,
                {found_.data() + begin, end - begin});
  if (piece != 0 || batch.number % kForgetSteps != 0) return;
  for (auto& count : count_) count = count / 2;
  looked_ = looked_ / 2;
}

void LshCandidates::candidates(const Batch& batch, std::size_t k,
                               std::vector<std::uint32_t>& out) const {
  out.insert(out.end(), found_[k].begin(), found_[k].end());
  const auto own = data_.labels_of(batch.examples[k]);
  for (const std::uint32_t l : found_[k]) {
    if (std::find(own.begin(), own.end(), l) == own.end()) {
      count_[l].fetch_add(1, std::memory_order_relaxed);
    }
  }
  looked_.fetch_add(1, std::memory_order_relaxed);
}

float LshCandidates::frequency(std::uint32_t label) const {
  return static_cast<float>(count_[label]) / static_cast<float>(std::max(1U, looked_.load()));
}

void LshCandidates::save(Document& state) const {
  index_.save(state);
  std::vector<std::uint32_t> counts(count_.begin(), count_.end());
  counts.push_back(looked_);
  state.tensors.push_back(Tensor::copy_of<std::uint32_t>("lsh.counts", {counts.size()}, counts));
}

void LshCandidates::restore(const Document& state, const std::string& path) {
  index_.restore(state, path);
  const auto counts = state.at("lsh.counts").as<std::uint32_t>();
  if (counts.size() != count_.size() + 1) {
    fail(ExitStatus::bad_input, path, ": tensor 'lsh.counts' has ", counts.size(),
         " elements, expected ", count_.size() + 1);
  }
  std::copy_n(counts.begin(), count_.size(), count_.begin());
  looked_ = counts.back();
}

}  // namespace frugal::sparse
