#include "tools/tgn-train/serve/affinity.h"

#include "libcore/arrays/row_file.h"
#include "libcore/base/text.h"
#include "libcore/system/clock.h"
#include "libcore/system/limits.h"
#include "libcore/system/output_file.h"
#include "tools/tgn-train/data/live_nodes.h"
#include "tools/tgn-train/serve/prediction_answers.h"

namespace frugal::tgn {
namespace {

/// Scores and weights of the vectors of the test, for other programs' evaluators.
struct Forecasts {
  std::vector<std::uint32_t> nodes;
  std::vector<double> times;
  std::vector<std::uint8_t> known;     ///< 1: the node has an earlier vector
  std::vector<float> scores, weights;  ///< [vectors, classes]

  Document document(std::size_t classes) const {
    const std::uint64_t n = nodes.size();
    Document document;
    document.tensors.push_back(Tensor::copy_of<std::uint32_t>("nodes", {n}, nodes));
    document.tensors.push_back(Tensor::copy_of<double>("times", {n}, times));
    document.tensors.push_back(Tensor::copy_of<std::uint8_t>("known", {n}, known));
    document.tensors.push_back(Tensor::copy_of<float>("scores", {n, classes}, scores));
    document.tensors.push_back(Tensor::copy_of<float>("weights", {n, classes}, weights));
    return document;
  }
};

}  // namespace

AffinityEvalResult evaluate_affinity(const AffinityEvalOptions& options) {
  const double began = wall_seconds();
  check_output(options.forecasts);
  AffinityEvalResult result;
  result.model = AffinityModel::load(read_document(options.model), options.model);
  const LabelVectors vectors(EventStream(options.events), result.model.vectors);
  const AffinitySplit split = split_vectors(vectors, result.model, options.events);
  result.classes = vectors.num_classes();
  result.vectors = vectors.size();
  Forecasts forecasts;
  ForecastVisitor visit;
  if (!options.forecasts.empty()) {
    // Both arrays, and their copies in the document.
    const std::uint64_t rows = vectors.size() - vectors.begin(split.test);
    check_memory("the forecasts of " + format_count(rows, "vector") + " and " +
                     std::to_string(result.classes) + " classes",
                 4 * rows * result.classes * sizeof(float));
    forecasts.scores.reserve(rows * result.classes);
    forecasts.weights.reserve(rows * result.classes);
    visit = [&](bool tests, bool known, std::size_t v, std::span<const float> scores,
                std::span<const float> weights) {
      if (!tests) return;
      forecasts.known.push_back(known ? 1 : 0);
      forecasts.nodes.push_back(vectors.node(v));
      forecasts.times.push_back(vectors.time(vectors.period(v)));
      forecasts.scores.insert(forecasts.scores.end(), scores.begin(), scores.end());
      forecasts.weights.insert(forecasts.weights.end(), weights.begin(), weights.end());
    };
  }
  result.tests = test_affinity(vectors, result.model, split, visit);
  if (visit) {
    Document document = forecasts.document(vectors.num_classes());
    append_history(document.metadata, options.history_entry);
    write_arrays(options.forecasts, document);
  }
  result.seconds = wall_seconds() - began;
  return result;
}

AffinityPredictResult predict_affinity(const AffinityPredictOptions& options) {
  const double began = wall_seconds();
  const AffinityModel model = AffinityModel::load(read_document(options.model), options.model);
  const EventStream stream(options.events);
  const LabelVectors vectors(stream, model.vectors);
  AverageHistory history(vectors);
  while (history.period() < vectors.num_periods()) history.learn();
  const std::vector<float> shared = shared_parts(model.mix, history);
  const std::int64_t when = vectors.when(static_cast<std::uint32_t>(vectors.num_periods()) - 1) + 1;
  const NodeNaming naming = naming_of(stream);
  OutputFile output(options.output, {.binary = false});
  std::string text = "node,class,score\n";
  std::vector<float> scores(vectors.num_classes());
  AffinityPredictResult result;
  for (NodeId node = 0; node < vectors.num_nodes(); ++node) {
    if (!history.knows(node)) continue;
    ++result.nodes;
    model.score(history, node, when, shared, scores);
    const std::string name = csv_field(node_name(stream, naming, node));
    for (const std::size_t c : highest(scores, options.top)) {
      if (!(scores[c] > 0)) break;
      const NodeId label = vectors.node_of_class(static_cast<std::uint32_t>(c));
      text += name + ',' + csv_field(node_name(stream, naming, label)) + ',' +
              format_number(scores[c], 7) + '\n';
      ++result.lines;
    }
    output.write(text.data(), text.size());
    text.clear();
  }
  output.commit();
  result.seconds = wall_seconds() - began;
  return result;
}

}  // namespace frugal::tgn
