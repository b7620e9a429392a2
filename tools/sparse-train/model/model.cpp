#include "tools/sparse-train/model/model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/base/text.h"
#include "libcore/tensors/document_gate.h"
#include "libcore/tensors/metadata_reader.h"
#include "tools/sparse-train/network/network_file.h"
#include "tools/sparse-train/network/predictor.h"
#include "tools/sparse-train/network/quick_predictor.h"
#include "tools/sparse-train/scoring/combined_scorers.h"
#include "tools/sparse-train/tree/forest_scorer.h"

namespace frugal::sparse {
namespace {

/// 1: a network, always, and no "model.parts". 2: parts.
constexpr std::uint32_t kModelVersion = 2;
constexpr std::string_view kNetworkPart = "network";
constexpr std::string_view kForestPart = "forest";
/// From here on QuickPredictor is faster than Predictor for one example, up to this many ranks.
constexpr std::size_t kQuickLabels = 2000;
constexpr std::size_t kQuickRanks = 128;

std::string value_of(const Document& document, const std::string& key) {
  const auto found = document.metadata.find(key);
  return found == document.metadata.end() ? "" : found->second;
}

/// The version of a model of this tool.
std::uint32_t check_kind(const Document& document, const std::string& path) {
  check_document(document, path, {"a model of sparse-train", {"model"}, "sparse-train"});
  const std::string text = value_of(document, "model.version");
  const std::uint32_t version = parse_number<std::uint32_t>(text).value_or(0);
  if (version == 0 || version > kModelVersion) {
    fail(ExitStatus::bad_input, path, ": model of version '", printable(text), "', expected 1 to ",
         kModelVersion, version == 0 ? "" : ": it was written by a newer sparse-train");
  }
  return version;
}

/// Fails (bad_input) where an option stored in the file is wrong: in a model that is damage, not
/// usage.
Featurizer load_featurizer(const Document& document, const std::string& path, Elements elements) {
  try {
    return Featurizer(document, elements);
  } catch (const Error& error) {
    if (error.status() != ExitStatus::usage) throw;
    fail(ExitStatus::bad_input, path, ": ", error.what());
  }
}

LabelCounts load_label_counts(const Document& document, const std::string& path) {
  const std::span<const std::uint64_t> counts = document.at("labels.count").as<std::uint64_t>();
  const std::uint64_t examples = MetadataReader(document, path).number("model.examples");
  return {{counts.begin(), counts.end()}, examples};
}

void load_parts(const Document& document, const std::string& path, const std::string& parts,
                Elements elements, Model& model) {
  for (const std::string_view part : split(parts, ',')) {
    if (part == kNetworkPart) {
      model.network = load_network(document, path, elements);
    } else if (part == kForestPart) {
      model.forest = LabelForest::load(document, path, 1, elements);
    } else {
      fail(ExitStatus::bad_input, path, ": model has a part '", printable(part), "', expected ",
           kNetworkPart, " or ", kForestPart);
    }
  }
}

/// Features and labels of a part against those of the featurizer.
void check_sizes(const Model& model, const std::string& path) {
  const auto check = [&](std::size_t features, std::size_t labels) {
    if (features == model.featurizer.num_features() && labels == model.featurizer.num_labels())
      return;
    fail(ExitStatus::bad_input, path, ": parts, vocabulary and label names do not fit together");
  };
  check(model.featurizer.num_features(), model.label_counts.counts.size());
  if (model.network) check(model.network->shape.num_features, model.network->shape.num_labels);
  if (model.forest) check(model.forest->num_features, model.forest->num_labels);
}

std::string parts_of(const Model& model) {
  std::string parts(model.network ? kNetworkPart : "");
  if (model.forest) (parts += parts.empty() ? "" : ",") += kForestPart;
  return parts;
}

std::unique_ptr<Scorer> network_scorer(const Network& network, std::size_t top_k, bool quick) {
  if (quick && network.labels.rows() >= kQuickLabels && top_k <= kQuickRanks) {
    return std::make_unique<QuickPredictor>(network, top_k);
  }
  return std::make_unique<Predictor>(network, top_k);
}

/// Only rows that examples use are read in an opened model, and checked then.
bool has_rows_by_use(std::string_view name) {
  return name == "features.weight" || name == "features.idf" ||
         (name.starts_with("tree.") && name.ends_with(".weights"));
}

Model load_checked(const Document& document, const std::string& path, Elements elements) {
  const std::uint32_t version = check_kind(document, path);
  for (const Tensor& tensor : document.tensors) {
    if (elements == Elements::copied || !has_rows_by_use(tensor.name)) check_finite(tensor, path);
  }
  Model model{load_featurizer(document, path, elements),
              load_label_counts(document, path),
              MetadataReader(document, path).flag("model.normalize"),
              std::nullopt,
              std::nullopt,
              std::nullopt};
  load_parts(document, path,
             version == 1 ? std::string(kNetworkPart) : value_of(document, "model.parts"), elements,
             model);
  check_sizes(model, path);
  if (Decisions::is_in(document)) {
    model.decisions = Decisions::load(document, path, model.featurizer.num_labels());
  }
  return model;
}

bool are_finite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); });
}

}  // namespace

void save_model(Model&& model, Document& document, StoredWeights stored) {
  document.metadata["format"] = "pt";
  document.metadata["frugal.version"] = "1";
  document.metadata["frugal.kind"] = "model";
  document.metadata["frugal.tool"] = "sparse-train";
  document.metadata["model.version"] = std::to_string(kModelVersion);
  document.metadata["model.parts"] = parts_of(model);
  document.metadata["model.normalize"] = model.normalize ? "true" : "false";
  document.metadata["model.examples"] = std::to_string(model.label_counts.examples);
  const std::vector<std::uint64_t>& counts = model.label_counts.counts;
  document.tensors.push_back(
      Tensor::copy_of<std::uint64_t>("labels.count", {counts.size()}, counts));
  model.featurizer.save(document);
  if (model.decisions) model.decisions->save(document);
  if (model.network) save_network(*model.network, document, stored);
  model.network.reset();
  if (model.forest) model.forest->move_to(document, stored == StoredWeights::int8);
}

std::string fingerprint(const Document& model) {
  std::uint64_t hash = 0;
  for (const Tensor& t : model.tensors) {
    hash = hash_combine(hash, hash_bytes(t.name));
    hash = hash_bytes(t.bytes.data(), t.bytes.size_bytes(), hash);
  }
  std::array<char, 17> hex{};
  std::snprintf(hex.data(), hex.size(), "%016llx", static_cast<unsigned long long>(hash));
  return std::string("hash ") + hex.data();
}

Model load_model(const std::string& path) { return load_model(read_document(path), path); }

Model load_model(const Document& document, const std::string& path) {
  return load_checked(document, path, Elements::copied);
}

Model open_model(const std::string& path) {
  const auto source = std::make_shared<const OpenDocument>(open_document(path));
  if (source->mapping != nullptr) {
    for (const TensorInfo& info : source->mapping->info().tensors) {
      if (has_rows_by_use(info.name)) source->mapping->expect_random_reads(info);
    }
  }
  Model model = load_checked(source->document, path, Elements::lent);
  model.source = source;
  return model;
}

void check_used(const Model& model, const Dataset& data, const std::string& path) {
  const auto row_is_finite = [&](std::uint32_t feature) {
    const RowTable& rows = model.network->features;
    return are_finite({rows.row(feature), rows.dim()});
  };
  const Column<std::uint32_t>& used = data.features;
  if (are_finite({std::as_const(data.values).data(), data.values.size()}) &&
      (!model.network || std::all_of(used.begin(), used.end(), row_is_finite)))
    return;
  check_finite(model.source->document, path);
}

void prepare_for_many(Model& model, const std::string& path) {
  check_finite(model.source->document, path);
  if (model.forest) model.forest = LabelForest::load(model.source->document, path);
}

std::unique_ptr<Scorer> make_scorer(const Model& model, const ScoringOptions& options) {
  std::vector<float> worths = label_worths(options.weights, model.label_counts, options.propensity);
  ScoringOptions inner = options;
  if (!worths.empty()) inner.top_k = WeightedScorer::num_candidates(options.top_k);
  const std::size_t top_k = inner.top_k;
  if (model.decisions) inner.top_k = CalibratedScorer::num_candidates(*model.decisions, top_k);
  std::unique_ptr<Scorer> scorer =
      make_scorer(model.network ? &*model.network : nullptr,
                  model.forest ? &*model.forest : nullptr, model.label_counts, inner);
  if (model.decisions) {
    scorer = std::make_unique<CalibratedScorer>(std::move(scorer), *model.decisions,
                                                model.label_counts, top_k);
  }
  if (worths.empty()) return scorer;
  return std::make_unique<WeightedScorer>(std::move(scorer), std::move(worths), options.top_k);
}

std::unique_ptr<Scorer> make_scorer(const Network* network, const LabelForest* forest,
                                    const LabelCounts& training, const ScoringOptions& options) {
  if (forest != nullptr && options.place.device != "cpu" && options.place.device != "auto") {
    fail(ExitStatus::unavailable, kNoTreesOnDevices);
  }
  if (network == nullptr) {
    return std::make_unique<ForestScorer>(*forest, training.counts, options.top_k);
  }
  if (forest == nullptr) {
    auto scorer = open_device_scorer(*network, options.place, options.top_k);
    if (scorer) return scorer;
  }
  if (forest == nullptr) return network_scorer(*network, options.top_k, options.quick);
  const HybridMix mix = network->shape.loss == LossKind::softmax
                            ? HybridMix::of_shares(training.labels_per_example())
                            : HybridMix::of_probabilities();
  const std::size_t candidates = HybridScorer::num_candidates(options.top_k);
  return std::make_unique<HybridScorer>(
      std::make_unique<ForestScorer>(*forest, training.counts, candidates),
      network_scorer(*network, candidates, options.quick), options.top_k, mix);
}

}  // namespace frugal::sparse
