#include "tools/sparse-train/data/featurizer.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/io/formats.h"
#include "libcore/threading/parallel.h"
#include "tools/sparse-train/data/example_reader.h"
#include "tools/sparse-train/data/featurizer_state.h"
#include "tools/sparse-train/data/vocabulary.h"

namespace frugal {
namespace {

/// Small enough that the pieces of a few MB of text keep many cores busy.
constexpr std::size_t kPieceSize = std::size_t{256} << 10;

/// Looks all hashes of a piece up; the cache lines are asked for ahead, else each look-up waits for
/// memory.
void look_up(const HashIndex& index, std::span<const std::uint64_t> hashes, ExamplePiece& piece) {
  constexpr std::size_t ahead = 16;
  piece.features.resize(hashes.size());
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i + ahead < hashes.size()) index.prefetch(hashes[i + ahead]);
    piece.features[i] = index.find(hashes[i]);
  }
}

/// Replaces the piece's own label numbers by ids of the table, kMissing for unknown names.
void name_to_id(const LabelTable& table, ExamplePiece& piece) {
  std::vector<std::uint32_t> ids;
  for (const std::string& name : piece.label_names) ids.push_back(table.find(name));
  for (std::uint32_t& label : piece.labels) label = ids[label];
}

std::uint32_t highest_feature(const std::vector<ExamplePiece>& pieces) {
  std::uint32_t highest = 0;
  for (const ExamplePiece& piece : pieces) {
    for (const std::uint32_t feature : piece.features) highest = std::max(highest, feature);
  }
  return highest;
}

std::vector<std::uint32_t> count_examples(const std::vector<ExamplePiece>& pieces,
                                          std::uint32_t num_features) {
  std::vector<std::uint32_t> counts(num_features);
  for (const ExamplePiece& piece : pieces) {
    for (const std::uint32_t feature : piece.features) ++counts[feature];
  }
  return counts;
}

void check_options(const FeatureOptions& options) {
  if (options.min_count < 1) {
    fail(ExitStatus::usage, "--min-count is ", options.min_count, ", expected at least 1");
  }
  if (options.label_prefix.empty()) {
    fail(ExitStatus::usage, "--label-prefix is empty, expected a text like __label__");
  }
}

}  // namespace

Featurizer::Featurizer(FeatureOptions options) : state_(std::make_unique<State>()) {
  check_options(options);
  state_->weighting = Weighting(options.weighting);
  state_->options = std::move(options);
}
Featurizer::~Featurizer() = default;
Featurizer::Featurizer(Featurizer&&) noexcept = default;
Featurizer& Featurizer::operator=(Featurizer&&) noexcept = default;

void Featurizer::State::fit_labels(std::vector<ExamplePiece>& pieces) {
  if (layout.format == "xmc") {
    labels = LabelTable::numbered(static_cast<std::uint32_t>(layout.label_limit));
    return;
  }
  std::vector<std::string> names;
  for (const ExamplePiece& piece : pieces) {
    names.insert(names.end(), piece.label_names.begin(), piece.label_names.end());
  }
  labels = LabelTable::in_natural_order(std::move(names));
  for (ExamplePiece& piece : pieces) name_to_id(labels, piece);
}

void Featurizer::State::fit_features(std::vector<ExamplePiece>& pieces) {
  std::vector<std::uint32_t> counts;
  if (layout.is_sparse()) {
    num_features = static_cast<std::uint32_t>(layout.feature_limit);
    if (layout.format == "svmlight") num_features = highest_feature(pieces) + 1;
    if (weighting.needs_idf()) counts = count_examples(pieces, num_features);
  } else {
    std::vector<HashedPiece*> hashed;
    for (ExamplePiece& piece : pieces) hashed.push_back(&piece.hashed);
    VocabularyBuilder builder(
        hashed, {static_cast<std::uint32_t>(options.min_count), options.max_features});
    parallel_for(pieces.size(), 1, [&](std::size_t p) {
      pieces[p].features = builder.take_ids(pieces[p].hashed);
      drop_missing(pieces[p]);
    });
    keys = builder.take_keys();
    counts = builder.counts();
    num_features = static_cast<std::uint32_t>(keys.size());
  }
  std::size_t num_examples = 0;
  for (const ExamplePiece& piece : pieces) num_examples += piece.size();
  if (weighting.needs_idf()) weighting.set_idf(counts, num_examples);
}

void Featurizer::State::check_kind(const InputLayout& input, const std::string& name) const {
  if (input.is_sparse() == sparse) return;
  fail(
      ExitStatus::bad_input, name, ": format ", input.format, " has ",
      sparse ? "text" : "features as ids", ", but the model was trained on ",
      sparse ? "features as ids: expected xmc or svmlight" : "text: expected csv, tsv or fasttext");
}

void Featurizer::State::apply(const InputLayout& input, std::span<const std::uint64_t> hashes,
                              ExamplePiece& piece) const {
  if (input.is_sparse()) {
    for (std::uint32_t& feature : piece.features) {
      if (feature >= num_features) feature = HashIndex::kMissing;
    }
  } else {
    look_up(index(), hashes, piece);
  }
  if (input.format != "xmc") {
    name_to_id(labels, piece);
  } else {
    for (std::uint32_t& label : piece.labels) {
      if (label >= labels.size()) label = LabelTable::kMissing;
    }
  }
  drop_missing(piece);
}

Dataset Featurizer::fit(const std::string& path) {
  State& s = *state_;
  PieceReader reader(path, kPieceSize);
  s.layout = find_layout(s.options, reader.name(), reader.head());
  if (s.layout.format == "text") {
    fail(ExitStatus::usage, "--format text has no labels, expected a format of labelled examples");
  }
  s.options.format = s.layout.format;  // later inputs are expected to look like this one
  auto pieces = read_examples(reader, s.layout, s.options,
                              [](ExamplePiece& piece, std::span<const std::uint64_t> hashes) {
                                piece.hashed = HashedPiece(hashes);
                              });
  s.sparse = s.layout.is_sparse();
  s.fit_labels(pieces);
  s.fit_features(pieces);
  s.layout.allow_any_id();
  Dataset data;
  append_examples(pieces, data);
  if (data.size() == 0) fail(ExitStatus::bad_input, reader.name(), ": has no examples to train on");
  data.num_features = s.num_features;
  data.num_labels = s.labels.size();
  s.weighting.apply(data, 0, reader.name());
  return data;
}

Dataset Featurizer::read(const std::string& path) const {
  const State& s = *state_;
  PieceReader reader(path, kPieceSize);
  const InputLayout layout = find_layout(s.options, reader.name(), reader.head());
  s.check_kind(layout, reader.name());
  const auto pieces = read_examples(
      reader, layout, s.options, [&](ExamplePiece& piece, std::span<const std::uint64_t> hashes) {
        s.apply(layout, hashes, piece);
      });
  Dataset data;
  append_examples(pieces, data);
  data.num_features = s.num_features;
  data.num_labels = s.labels.size();
  s.weighting.apply(data, 0, reader.name());
  return data;
}

void Featurizer::add_line(std::string_view line, Dataset& dataset) const {
  const State& s = *state_;
  std::vector<ExamplePiece> pieces(1);
  s.check_kind(s.layout, "line");
  ExampleParser parser(s.options, s.layout);
  parser.parse_line(line, pieces[0]);
  s.apply(s.layout, parser.hashes(), pieces[0]);
  const std::size_t first = dataset.size();
  append_examples(pieces, dataset);
  dataset.num_features = s.num_features;
  dataset.num_labels = s.labels.size();
  s.weighting.apply(dataset, first, "line");
}

bool Featurizer::is_header(std::string_view line) const {
  const InputLayout& layout = state_->layout;
  if (layout.format == "xmc") return parse_xmc_header(line).has_value();
  if (!layout.is_delimited() || !layout.has_header) return false;
  std::vector<std::string_view> fields;
  RecordParser(layout.style()).parse(line, fields);
  return std::equal(fields.begin(), fields.end(), layout.header.begin(), layout.header.end());
}

void Featurizer::set_format(const std::string& format) {
  State& s = *state_;
  if (format != "text" && format != "auto") text_format(format);
  s.options.format = format;
  if (format != "auto" && format != s.layout.format) s.layout = layout_of_format(format);
}

std::uint32_t Featurizer::num_features() const { return state_->num_features; }
std::uint32_t Featurizer::num_labels() const { return state_->labels.size(); }
const std::vector<std::string>& Featurizer::label_names() const { return state_->labels.names(); }
const FeatureOptions& Featurizer::options() const { return state_->options; }

}  // namespace frugal
