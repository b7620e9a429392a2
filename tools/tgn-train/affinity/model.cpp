#include "tools/tgn-train/affinity/model.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/options/option_fields.h"
#include "libcore/tensors/document_gate.h"

namespace frugal::tgn {
namespace {

constexpr char kPrefix[] = "affinity.", kAverage[] = "affinity.average";

OptionFields described(AffinityModel& model, std::string& average) {
  OptionFields f;
  f.add("average", average);
  f.add_either("predictor", model.mixes, {true, false}, {"mix", "average"});
  f.add("every", model.vectors.every).finite().not_negative();
  f.add("weight", model.vectors.weight);
  f.add("valid_from", model.valid_from).finite();
  f.add("test_from", model.test_from).finite();
  return f;
}

}  // namespace

std::vector<float> shared_parts(const AverageMix& mix, const AverageHistory& history) {
  std::vector<float> shared;
  for (std::size_t p = kOwnParts; p < kMixParts; ++p) {
    const std::vector<float> part = history.shared(mix.parts[p]);
    shared.insert(shared.end(), part.begin(), part.end());
  }
  return shared;
}

void AffinityModel::score(const AverageHistory& history, NodeId node, std::int64_t when,
                          std::span<const float> shared, std::span<float> scores) const {
  std::fill(scores.begin(), scores.end(), 0.0F);
  if (!history.knows(node)) {
    std::copy_n(shared.begin(), scores.size(), scores.begin());
  } else if (mixes) {
    NodeAverages own;
    history.read(std::span(mix.parts).first(kOwnParts), node, own);
    mix.score(mix.shares(history.facts(node, when)), own, shared, scores);
  } else {
    history.add(average, node, 1, scores);
  }
}

void AffinityModel::save(Document& document) const {
  AffinityModel copy = *this;
  std::string name = average.name();
  document.metadata["frugal.kind"] = "model";
  document.metadata["frugal.tool"] = "tgn-train";
  write_metadata(described(copy, name), kPrefix, document.metadata);
  mix.save(document);
}

AffinityModel AffinityModel::load(const Document& document, const std::string& path) {
  check_document(document, path, {"a model of tgn-train train-affinity", {"model"}, "tgn-train"});
  check_finite(document, path);
  if (!is_in(document)) {
    fail(ExitStatus::bad_input, path,
         ": a model of tgn-train train, expected one of train-affinity; eval and predict use it");
  }
  AffinityModel model;
  std::string name;
  read_metadata(described(model, name), kPrefix, document.metadata, path);
  model.vectors.model = path;
  model.average = average_named(name, path);
  model.mix = AverageMix::load(document, path);
  return model;
}

bool AffinityModel::is_in(const Document& document) { return document.metadata.contains(kAverage); }

}  // namespace frugal::tgn
