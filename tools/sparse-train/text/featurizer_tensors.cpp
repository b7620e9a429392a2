#include <algorithm>
#include <utility>
#include <vector>

#include "libcore/base/error.h"
#include "tools/sparse-train/data/tensor_data.h"
#include "tools/sparse-train/text/dataset_writer.h"
#include "tools/sparse-train/text/featurizer.h"
#include "tools/sparse-train/text/featurizer_state.h"

namespace frugal::sparse {
namespace {

bool has_featurizer(const TensorData& input) {
  return input.rest.metadata.contains("frugal.features");
}

/// Names of the labels of a file: what it says, else the numbers.
LabelTable labels_of(const TensorData& input) {
  if (input.rest.find("labels.names") == nullptr)
    return LabelTable::numbered(input.data.num_labels);
  LabelTable table(load_names("labels.names", "labels.name_ends", input.rest));
  if (table.size() == input.data.num_labels) return table;
  fail(ExitStatus::bad_input, "has ", table.size(), " names of labels, expected ",
       input.data.num_labels);
}

/// Replaces ids by map[id], or leaves them where there is no map, and drops those that are
/// `limit` or above, kMissing among them.
void keep_ids(Column<std::uint64_t>& begins, Column<std::uint32_t>& ids, Column<float>* values,
              const std::vector<std::uint32_t>* map, std::uint32_t limit) {
  const auto id_of = [&](std::uint32_t id) { return map == nullptr ? id : (*map)[id]; };
  const bool all_stay =
      std::all_of(std::as_const(ids).begin(), std::as_const(ids).end(),
                  [&](std::uint32_t id) { return id < limit && id_of(id) == id; });
  if (all_stay) return;
  std::uint64_t* const begin = begins.data();
  std::uint32_t* const all = ids.data();
  float* const value = values != nullptr && !values->empty() ? values->data() : nullptr;
  std::size_t to = 0, from = 0;
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    begin[i] = to;
    for (const std::uint64_t end = begin[i + 1]; from < end; ++from) {
      const std::uint32_t id = id_of(all[from]);
      if (id >= limit) continue;
      if (value != nullptr) value[to] = value[from];
      all[to++] = id;
    }
  }
  begin[begins.size() - 1] = to;
  ids.resize(to);
  if (value != nullptr) values->resize(to);
}

/// Gives the labels of a file the model's ids; unknown ones have theirs behind these.
void use_labels(const LabelTable& model, const LabelTable& file, Dataset& data) {
  constexpr std::uint32_t kUnused = LabelTable::kMissing;
  std::vector<std::uint32_t> map(file.size(), kUnused);
  for (const std::uint32_t label : std::as_const(data.labels)) {
    if (map[label] != kUnused) continue;
    map[label] = model.find(file.names()[label]);
    if (map[label] != LabelTable::kMissing) continue;
    map[label] = model.size() + static_cast<std::uint32_t>(data.unknown_labels.size());
    data.unknown_labels.push_back(file.names()[label]);
  }
  const auto size = static_cast<std::uint32_t>(model.size() + data.unknown_labels.size());
  keep_ids(data.label_begin, data.labels, nullptr, &map, size);
}

/// Fails (bad_input) unless feature ids of the file mean what they mean in the model.
void check_features(const FeaturizerState& s, const TensorData& input, const std::string& path) {
  const auto hashes = load_hashes(input.rest);
  if (s.sparse ? !hashes : hashes == s.keys) return;
  fail(ExitStatus::bad_input, path, ": its features are not those of the model, expected ",
       s.sparse ? "ids of features without a vocabulary"
                : "text, or tensors that `sparse-train convert --model` made");
}

}  // namespace

Dataset Featurizer::learn_tensors(const std::string& path) {
  TensorData input = read_tensor_data(path, state_->memory_limit(), state_->spill_folder());
  if (input.data.size() == 0) {
    fail(ExitStatus::bad_input, path, ": has no examples to train on");
  }
  const bool is_weighted = has_featurizer(input);
  const LabelTable labels = labels_of(input);
  if (state_->fitted) {
    check_features(*state_, input, path);
    state_->labels = state_->labels.with(labels.names());
  } else if (is_weighted) {
    Featurizer stored(input.rest);
    FeatureOptions limits = state_->options;
    limits.format = limits.header = limits.separator = "auto";
    stored.set_input(limits);
    *this = std::move(stored);
  } else {
    state_->options.format = kTensorFormat;
    state_->layout.format = &example_formats().by_name(kTensorFormat);
    state_->choose_weighting(true);
    state_->layout.allow_any_id();
    state_->labels = labels;
    state_->sparse = state_->fitted = true;
  }
  FeaturizerState& s = *state_;
  Dataset& data = input.data;
  use_labels(s.labels, labels, data);
  const std::uint32_t num_known = s.num_features;
  if (s.sparse) s.num_features = std::max(num_known, data.num_features);
  s.complete(data, memory_of(data) > s.memory_limit());
  if (is_weighted) return std::move(data);
  if (s.weighting.needs_idf()) {
    std::vector<std::uint32_t> counts(s.num_features - num_known);
    for (const std::uint32_t f : std::as_const(data.features)) {
      if (f >= num_known) ++counts[f - num_known];
    }
    s.weighting.add_idf(counts, data.size());
  }
  s.weighting.apply(data, 0, path);
  return std::move(data);
}

Dataset Featurizer::read_tensors(const std::string& path) const {
  const FeaturizerState& s = *state_;
  TensorData input = read_tensor_data(path, s.memory_limit(), s.spill_folder());
  check_features(s, input, path);
  Dataset& data = input.data;
  use_labels(s.labels, labels_of(input), data);
  keep_ids(data.feature_begin, data.features, &data.values, nullptr, s.num_features);
  s.complete(data, memory_of(data) > s.memory_limit());
  if (!has_featurizer(input)) s.weighting.apply(data, 0, path);
  return std::move(data);
}

}  // namespace frugal::sparse
