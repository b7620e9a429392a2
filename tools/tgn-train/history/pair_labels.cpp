#include "tools/tgn-train/history/pair_labels.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/nn/state_tensors.h"
#include "libcore/system/limits.h"

namespace frugal::tgn {
namespace {

constexpr char kPairs[] = "label_history.pairs", kPairLabels[] = "label_history.pair_labels",
               kPairTimes[] = "label_history.pair_times";
constexpr std::size_t kBytesOfPair = 56;

/// mix64() is a bijection, so different pairs have different keys.
std::uint64_t key_of(NodeId source, NodeId destination) {
  return mix64(std::uint64_t{source} << 32 | destination);
}

}  // namespace

PairLabels::Tally PairLabels::of(NodeId source, NodeId destination) const {
  const std::size_t i = index_.find(key_of(source, destination));
  if (i == HashIndex::kMissing) return {};
  return {labels_[2 * i], labels_[2 * i + 1], times_[i]};
}

void PairLabels::count(NodeId source, NodeId destination, float label, double time) {
  if (size() == times_.capacity()) {
    const std::size_t room = std::max<std::size_t>(64, 2 * size());
    if (room >= HashIndex::kMissing) {
      fail(ExitStatus::unavailable, "more than ", size(),
           " pairs of nodes have labels, expected fewer: --label-history no reads none");
    }
    check_memory("past labels of pairs of nodes", room * kBytesOfPair);
    ends_.reserve(2 * room);
    labels_.reserve(2 * room);
    times_.reserve(room);
  }
  const std::size_t i = index_.insert(key_of(source, destination));
  if (i == size()) {
    ends_.insert(ends_.end(), {source, destination});
    labels_.resize(labels_.size() + 2);
    times_.push_back(time);
  }
  labels_[2 * i] += 1;
  labels_[2 * i + 1] = label;
  times_[i] = time;
}

void PairLabels::save(Document& document) const {
  const auto lend = [&]<class T>(const char* name, const std::vector<T>& values, Shape shape) {
    document.tensors.push_back(Tensor::lend<T>(name, std::move(shape), values));
  };
  lend(kPairs, ends_, {size(), 2});
  lend(kPairLabels, labels_, {size(), 2});
  lend(kPairTimes, times_, {size()});
}

void PairLabels::load(const Document& document, const std::string& path) {
  const Tensor* const stored = document.find(kPairTimes);
  const std::uint64_t pairs = stored == nullptr || stored->shape.empty() ? 0 : stored->shape[0];
  const auto ends =
      shaped_tensor(document, path, kPairs, {pairs, 2}, dtype_of<NodeId>()).as<NodeId>();
  const auto labels =
      shaped_tensor(document, path, kPairLabels, {pairs, 2}, Dtype::f32).as<float>();
  const auto times = shaped_tensor(document, path, kPairTimes, {pairs}, Dtype::f64).as<double>();
  ends_.assign(ends.begin(), ends.end());
  labels_.assign(labels.begin(), labels.end());
  times_.assign(times.begin(), times.end());
  index_ = HashIndex();
  for (std::size_t i = 0; i < pairs; ++i) index_.insert(key_of(ends_[2 * i], ends_[2 * i + 1]));
}

}  // namespace frugal::tgn
