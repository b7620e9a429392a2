#include "tools/sparse-train/model/predict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/streams/regular_file.h"
#include "libcore/system/clock.h"
#include "libcore/system/output_file.h"
#include "libcore/tables/piece_reader.h"
#include "tools/sparse-train/data/data_gaps.h"
#include "tools/sparse-train/data/table_style.h"
#include "tools/sparse-train/data/tensor_data.h"
#include "tools/sparse-train/model/label_text.h"
#include "tools/sparse-train/network/explain.h"
#include "tools/sparse-train/scoring/scorer.h"
#include "tools/sparse-train/text/record_featurizer.h"
#include "tools/sparse-train/tree/explain.h"

namespace frugal::sparse {
namespace {

constexpr std::size_t kLinesAtOnce = 4096;  ///< lines of a file that are predicted together
/// Answers of an opened model before the rest of it is prepared for many.
constexpr int kFlushesByUse = 16;
constexpr const char* kFeatureless = " that the model knows: are these the right columns?";

/// Examples that are answered together.
std::size_t examples_at_once(const PredictOptions& options) {
  return size_of_input(options.data) ? kLinesAtOnce : 1;
}

bool has_tensors(const PredictOptions& options) {
  return is_tensor_input("auto", options.data) ||
         is_tensor_input(options.input.format, options.data);
}

/// Few examples are answered on the CPU by what they use of the model: to read all of it, or to
/// start a device, takes longer.
bool answers_at_once(const PredictOptions& options) {
  return has_few_records(options.data) && !has_tensors(options) &&
         (options.device == "cpu" || options.device == "auto");
}

/// Answers to records as text or JSON, as the options say.
class Answers {
 public:
  /// Both must outlive the object.
  Answers(const Model& model, const PredictOptions& options);

  /// Appends the answers to the examples of `data` to `text`. names: of each example's features, in
  /// their order, if explanations are wanted.
  void append(Dataset& data, const std::vector<std::vector<std::string>>& names,
              std::string& text) const;

 private:
  struct Part {
    std::string_view name;
    LabelShares shares;
  };
  std::vector<Part> explain(const Dataset& data, std::size_t example, std::uint32_t label) const;
  bool is_wanted(const ScoredLabel& s) const;
  void append_text(const std::vector<ScoredLabel>& best, std::string& text) const;
  void append_explanation(const Dataset& data, std::size_t example,
                          const std::vector<std::string>& names, const ScoredLabel& label,
                          std::string& text) const;
  void append_json(const Dataset& data, std::size_t example, const std::vector<std::string>& names,
                   const std::vector<ScoredLabel>& best, std::string& text) const;

  const Model& model_;
  const PredictOptions& options_;
  std::unique_ptr<Scorer> scorer_;
};

using Json = nlohmann::ordered_json;

std::string formatted(const char* format, float value) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), format, static_cast<double>(value));
  return text.data();
}

/// Places of the `count` largest shares, by magnitude, 0 = all; ties in the order of the example.
std::vector<std::size_t> largest(const std::vector<float>& shares, std::size_t count) {
  std::vector<std::size_t> order(shares.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(shares[a]) > std::abs(shares[b]);
  });
  if (count != 0 && count < order.size()) order.resize(count);
  return order;
}

std::size_t num_ranks(const PredictOptions& options) {
  if (options.top_k != 0) return options.top_k;
  return options.thresholds == "none" ? 1 : kDecidedRanks;
}

Json shares_json(const LabelShares& shares, const std::vector<std::string>& names,
                 std::size_t count) {
  Json features = Json::array();
  for (const std::size_t i : largest(shares.features, count)) {
    features.push_back({{"feature", names[i]}, {"share", shares.features[i]}});
  }
  return {{"total", shares.total}, {"bias", shares.rest}, {"features", std::move(features)}};
}

Answers::Answers(const Model& model, const PredictOptions& options)
    : model_(model),
      options_(options),
      scorer_(make_scorer(model, {.top_k = num_ranks(options),
                                  .quick = !size_of_input(options.data),
                                  .weights = options.weights,
                                  .propensity = {},
                                  .place = {model.source ? "cpu" : options.device,
                                            "sparse-train predict", examples_at_once(options)}})) {}

void Answers::append(Dataset& data, const std::vector<std::vector<std::string>>& names,
                     std::string& text) const {
  if (model_.normalize) normalize_rows(data);
  const std::vector<ScoredLabel> all = scorer_->predict(data, 0, data.size());
  std::vector<ScoredLabel> best;
  for (std::size_t i = 0; i < data.size(); ++i) {
    best.clear();
    for (std::size_t j = i * scorer_->k(); j < (i + 1) * scorer_->k(); ++j) {
      if (all[j].label != Scorer::kNoLabel && is_wanted(all[j])) best.push_back(all[j]);
    }
    if (options_.answers == "json") {
      append_json(data, i, options_.explain ? names[i] : std::vector<std::string>(), best, text);
      continue;
    }
    append_text(best, text);
    if (!options_.explain) continue;
    for (const ScoredLabel& label : best) append_explanation(data, i, names[i], label, text);
  }
}

bool Answers::is_wanted(const ScoredLabel& s) const {
  if (static_cast<double>(s.score) < options_.threshold) return false;
  if (options_.thresholds == "none") return true;
  const Decisions& decisions = *model_.decisions;
  return s.score >=
         (options_.thresholds == "global" ? decisions.global : decisions.label_thresholds[s.label]);
}

void Answers::append_text(const std::vector<ScoredLabel>& best, std::string& text) const {
  for (const ScoredLabel& s : best) {
    if (&s != &best.front()) text += ' ';
    text += as_word(model_.featurizer.label_name(s.label));
    if (options_.scores) text += formatted(":%.6g", s.score);
  }
  text += '\n';
}

std::vector<Answers::Part> Answers::explain(const Dataset& data, std::size_t example,
                                            std::uint32_t label) const {
  const Bag bag{data.features_of(example), data.values_of(example)};
  std::vector<Part> parts;
  if (model_.network) parts.push_back({"network", explain_logit(*model_.network, bag, label)});
  if (model_.forest) {
    parts.push_back({"trees", explain_margins(*model_.forest, bag.rows, bag.weights, label)});
  }
  return parts;
}

void Answers::append_explanation(const Dataset& data, std::size_t example,
                                 const std::vector<std::string>& names, const ScoredLabel& label,
                                 std::string& text) const {
  for (const Part& part : explain(data, example, label.label)) {
    const LabelShares& shares = part.shares;
    text += "  " + as_field(model_.featurizer.label_name(label.label)) + " (" +
            std::string(part.name) + formatted(" %.4g)", shares.total);
    float others = shares.total - shares.rest;
    const std::vector<std::size_t> shown = largest(shares.features, options_.explain_features);
    for (const std::size_t i : shown) {
      text += '\t' + as_field(names[i]) + formatted(" %+.4g", shares.features[i]);
      others -= shares.features[i];
    }
    if (shown.size() < names.size()) {
      text += "\t" + std::to_string(names.size() - shown.size()) + " others" +
              formatted(" %+.4g", others);
    }
    text += formatted("\tbias %+.4g\n", shares.rest);
  }
}

void Answers::append_json(const Dataset& data, std::size_t example,
                          const std::vector<std::string>& names,
                          const std::vector<ScoredLabel>& best, std::string& text) const {
  Json labels = Json::array();
  for (const ScoredLabel& s : best) {
    Json label = {{"label", model_.featurizer.label_name(s.label)}, {"score", s.score}};
    if (options_.explain) {
      for (const Part& part : explain(data, example, s.label)) {
        label[std::string(part.name)] = shares_json(part.shares, names, options_.explain_features);
      }
    }
    labels.push_back(std::move(label));
  }
  text += Json{{"labels", std::move(labels)}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  text += '\n';
}

/// Warns if a row joins several rows by a quote that was opened by mistake. True if it does.
bool warn_of_joined_rows(TableRows& rows, const InputLayout& layout) {
  const std::string problem = joined_rows(rows.row(), layout);
  if (!problem.empty()) log_warning(rows.place(), ": ", problem);
  return !problem.empty();
}

/// Answers the examples of a tensor file. It is read as a whole, as by eval.
PredictResult answer_tensors(const Model& model, const PredictOptions& options) {
  if (options.explain) {
    fail(ExitStatus::usage, options.data,
         ": is a tensor file, expected the text or table itself for --explain");
  }
  const Answers answers(model, options);
  OutputFile output(options.output, {.binary = false});
  const double began = wall_seconds();
  const Dataset data = model.featurizer.read(options.data);
  PredictResult result;
  result.examples = data.size();
  std::uint64_t featureless = 0;
  std::string text;
  for (std::size_t begin = 0; begin < data.size(); begin += kLinesAtOnce) {
    std::vector<std::uint32_t> examples(std::min(kLinesAtOnce, data.size() - begin));
    std::iota(examples.begin(), examples.end(), static_cast<std::uint32_t>(begin));
    for (const std::uint32_t i : examples) featureless += data.features_of(i).empty();
    Dataset part = part_of(data, examples);
    text.clear();
    answers.append(part, {}, text);
    output.write(text.data(), text.size());
  }
  output.commit();
  warn_of_no_features(options.data, featureless, result.examples, kFeatureless);
  result.seconds = wall_seconds() - began;
  return result;
}

}  // namespace

void require_decisions(const Model& model, const std::string& path) {
  if (model.decisions) return;
  fail(ExitStatus::usage, path,
       ": has no thresholds, expected a model trained with --calibration held-out");
}

PredictResult predict(const PredictOptions& options) {
  Model model = answers_at_once(options) ? open_model(options.model) : load_model(options.model);
  if (options.thresholds != "none") require_decisions(model, options.model);
  model.featurizer.set_input(options.input);
  if (has_tensors(options)) return answer_tensors(model, options);
  std::optional<Answers> answers;
  answers.emplace(model, options);
  OutputFile output(options.output, {.binary = false});
  PieceReader reader(options.data);
  reader.set_pace(size_of_input(options.data) ? Pace::steady : Pace::prompt);
  const InputLayout layout = model.featurizer.layout_of(reader.name(), reader.head());
  reader.set_style(layout.style);
  const std::size_t block = examples_at_once(options);
  const double began = wall_seconds();
  PredictResult result;
  std::string text;
  Dataset data;
  std::vector<std::vector<std::string>> names;  // of the features, for explanations
  int flushes = 0;
  std::uint64_t featureless = 0;
  const auto flush = [&] {
    if (model.source && flushes < kFlushesByUse) check_used(model, data, options.model);
    if (model.source && flushes == kFlushesByUse) {
      prepare_for_many(model, options.model);
      answers.emplace(model, options);
    }
    ++flushes;
    text.clear();
    answers->append(data, names, text);
    output.write(text.data(), text.size());
    result.examples += data.size();
    for (std::size_t i = 0; i < data.size(); ++i) featureless += data.features_of(i).empty();
    data = Dataset();
    names.clear();
  };
  RecordFeaturizer featurizer(model.featurizer, layout);
  if (options.explain) featurizer.keep_names();
  TableRows rows(layout.form(), reader.name());
  bool warned = false;
  for (TextPiece piece; next_piece(reader, layout.style, piece);) {
    rows.start(piece);
    while (rows.pass()) {
      rows.located([&] { featurizer.add(rows.row(), data); });
      warned = warned || warn_of_joined_rows(rows, layout);
      if (options.explain) names.push_back(featurizer.names());
      if (data.size() >= block) flush();
    }
  }
  if (data.size() != 0) flush();
  output.commit();
  result.column_values = featurizer.column_values();
  warn_of_no_features(reader.name(), featureless, result.examples, kFeatureless);
  warn_of_unknown_values(reader.name(), result.column_values);
  result.seconds = wall_seconds() - began;
  return result;
}

}  // namespace frugal::sparse
