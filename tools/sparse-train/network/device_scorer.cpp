#include "tools/sparse-train/network/device_scorer.h"

#include <algorithm>

#include "libcore/base/error.h"

namespace frugal::sparse {
namespace {

/// An array of an engine may be for either way.
template <class T>
void* writable(const T* data) {
  return const_cast<T*>(data);
}

}  // namespace

EngineSettings network_settings(const NetworkShape& shape, OptimizerKind optimizer) {
  if (!shape.layers.empty()) {
    fail(ExitStatus::unavailable,
         "networks with --layers have no engine for devices, expected --device cpu");
  }
  NetworkShape without_rows = shape;
  without_rows.num_features = without_rows.num_labels = 0;
  const Network empty(without_rows, optimizer);
  return {{"features", std::to_string(shape.num_features)},
          {"labels", std::to_string(shape.num_labels)},
          {"hidden", std::to_string(shape.hidden)},
          {"feature_stride", std::to_string(empty.features.stride())},
          {"label_stride", std::to_string(empty.labels.stride())},
          {"half_labels", shape.half_labels ? "1" : "0"},
          {"activation", std::string(activation_name(shape.activation))},
          {"loss", std::string(loss_name(shape.loss))}};
}

std::vector<EngineArray> network_arrays(const Network& network) {
  const auto array_of = [](const char* name, const RowTable& table) {
    return EngineArray{name, FRUGAL_F32, {table.rows(), table.stride()}, writable(table.data())};
  };
  return {array_of("features.rows", network.features), array_of("labels.rows", network.labels)};
}

DeviceScorer::DeviceScorer(std::shared_ptr<DeviceEngine> engine, std::size_t num_labels,
                           std::size_t batch_size, std::size_t top_k)
    : engine_(std::move(engine)), batch_size_(batch_size), k_(std::min(top_k, num_labels)) {}

/// As many examples from `begin` on as the engine has room for, one at least.
std::size_t DeviceScorer::batch_end(const Dataset& data, std::size_t begin, std::size_t end) const {
  std::size_t last = begin;
  const std::uint64_t first = data.feature_begin[begin];
  while (last < std::min(begin + batch_size_, end) &&
         data.feature_begin[last + 1] - first <= kMostAnswerEntries) {
    ++last;
  }
  if (last != begin) return last;
  fail(ExitStatus::unavailable, "an example has ", data.features_of(begin).size(),
       " features, a device takes ", kMostAnswerEntries, ", expected --device cpu");
}

std::vector<ScoredLabel> DeviceScorer::predict(const Dataset& data, std::size_t begin,
                                               std::size_t end) const {
  std::vector<ScoredLabel> out;
  out.reserve((end - begin) * k_);
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint32_t> labels;
  std::vector<float> scores;
  for (std::size_t last; begin < end; begin = last) {
    last = batch_end(data, begin, end);
    const std::uint64_t n = last - begin, first = data.feature_begin[begin];
    offsets.assign(data.feature_begin.begin() + begin, data.feature_begin.begin() + last + 1);
    for (std::uint64_t& offset : offsets) offset -= first;
    labels.resize(n * k_);
    scores.resize(n * k_);
    std::vector<EngineArray> batch{
        {"offsets", FRUGAL_U64, {n + 1}, offsets.data()},
        {"features", FRUGAL_U32, {offsets[n]}, writable(data.features.data() + first)}};
    if (!data.values.empty()) {
      batch.push_back({"values", FRUGAL_F32, {offsets[n]}, writable(data.values.data() + first)});
    }
    const std::vector<EngineArray> answers{{"labels", FRUGAL_U32, {n, k_}, labels.data()},
                                           {"scores", FRUGAL_F32, {n, k_}, scores.data()}};
    engine_->run(batch, answers);
    for (std::size_t i = 0; i < labels.size(); ++i) out.push_back({labels[i], scores[i]});
  }
  return out;
}

std::unique_ptr<Scorer> open_device_scorer(const Network& network, const ScorerPlace& place,
                                           std::size_t top_k) {
  if (place.device == "cpu") return nullptr;
  const std::size_t batch_size = std::min(place.at_once, kMostAnswers);
  try {
    EngineRequest request{place.device, place.command, "sparse.predict",
                          network_settings(network.shape, OptimizerKind::sgd), batch_size};
    const std::size_t ranks = std::min(top_k, network.labels.rows());
    for (const auto& [name, value] :
         EngineSettings{{"batch_size", std::to_string(batch_size)},
                        {"answer_entries", std::to_string(kMostAnswerEntries)},
                        {"ranks", std::to_string(ranks)},
                        {"label_block", "0"},
                        {"precision", "f32"}}) {  // rankings are exact
      request.settings.emplace_back(name, value);
    }
    std::shared_ptr<DeviceEngine> engine = open_engine(request);
    if (!engine) return nullptr;
    engine->set(network_arrays(network));
    return std::make_unique<DeviceScorer>(std::move(engine), network.labels.rows(), batch_size,
                                          ranks);
  } catch (const Error& error) {
    if (place.device == "auto" && error.status() == ExitStatus::unavailable) return nullptr;
    throw;
  }
}

}  // namespace frugal::sparse
