#include "tools/sparse-train/text/featurizer.h"

#include <algorithm>
#include <bitset>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/hash_index.h"
#include "libcore/base/text.h"
#include "libcore/system/limits.h"
#include "libcore/system/temporary_file.h"
#include "libcore/tables/piece_reader.h"
#include "tools/sparse-train/data/layout_finder.h"
#include "tools/sparse-train/data/records.h"
#include "tools/sparse-train/data/tensor_data.h"
#include "tools/sparse-train/text/dataset_writer.h"
#include "tools/sparse-train/text/example_reader.h"
#include "tools/sparse-train/text/example_weights.h"
#include "tools/sparse-train/text/featurizer_state.h"
#include "tools/sparse-train/text/short_hashes.h"

namespace frugal::sparse {

/// A second reading: n-grams are known by their hashes alone until then.
void Featurizer::learn_names(const std::string& path) {
  FeaturizerState& s = *state_;
  if (s.sparse) return;
  if (path == "-") {
    fail(ExitStatus::usage, "--keep-names reads the data twice, expected a file, not stdin");
  }
  s.names.assign(s.num_features, "");
  std::size_t num_missing = s.names.size();
  const auto keep = [&](std::uint64_t hash, const std::string& name) {
    const std::uint32_t id = s.index().find(hash);
    if (id == HashIndex::kMissing || !s.names[id].empty()) return;
    s.names[id] = name;
    --num_missing;
  };
  for (const NumberFeatures& of_column : s.numbers) {
    for (std::size_t f = 0; f < of_column.num_features(); ++f) {
      keep(of_column.hash(f), of_column.name(f));
    }
  }
  ExampleParser parser(s.options, s.layout, {&s.numbers, nullptr});
  parser.keep_names();
  for_each_record(path, s.layout, [&](std::string_view record, std::uint64_t) {
    if (num_missing == 0) return;
    ExamplePiece piece;
    try {
      parser.parse_record(record, piece);
    } catch (const Error&) {
      return;  // fit() has passed over it
    }
    const auto hashes = parser.hashes();
    for (std::size_t i = 0; i < hashes.size(); ++i) keep(hashes[i], parser.names()[i]);
  });
}

namespace {

constexpr std::size_t kPieceSize = std::size_t{256} << 10;
constexpr std::size_t kVisibleToHidden = 200;  ///< features to those that short hashes may hide

/// Few features are looked up by a pass over the hashes of all: an index of millions takes about as
/// long as this number of passes.
constexpr std::size_t kMostScans = 16;
/// Hashes of the model for each one that is looked up, from which on a pass is cheaper.
constexpr std::size_t kKeysPerHash = 64;

/// Looks all hashes up by a pass over the keys; of equal keys, the first counts.
std::vector<std::uint32_t> scan(std::span<const std::uint64_t> keys,
                                std::span<const std::uint64_t> hashes) {
  constexpr std::size_t kFilterBits = std::size_t{1} << 16;
  std::bitset<kFilterBits> may_be_wanted;
  HashIndex wanted;
  std::vector<std::uint32_t> places;
  for (const std::uint64_t hash : hashes) {
    may_be_wanted.set(hash % kFilterBits);
    places.push_back(wanted.insert(hash));
  }
  std::vector<std::uint32_t> found(wanted.size(), HashIndex::kMissing);
  for (std::size_t id = 0; id < keys.size(); ++id) {
    if (!may_be_wanted[keys[id] % kFilterBits]) continue;
    const std::uint32_t place = wanted.find(keys[id]);
    if (place != HashIndex::kMissing && found[place] == HashIndex::kMissing)
      found[place] = static_cast<std::uint32_t>(id);
  }
  for (std::uint32_t& place : places) place = found[place];
  return places;
}

/// Looks all hashes up; the cache lines are asked for ahead, else each look-up waits for memory.
std::vector<std::uint32_t> look_up(const HashIndex& index, std::span<const std::uint64_t> hashes) {
  constexpr std::size_t kAhead = 16;
  std::vector<std::uint32_t> ids(hashes.size());
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i + kAhead < hashes.size()) index.prefetch(hashes[i + kAhead]);
    ids[i] = index.find(hashes[i]);
  }
  return ids;
}

/// Replaces the piece's own label numbers by ids of the table; behind these stand the labels that
/// the table does not know, whose names alone are left in the piece.
void name_to_id(const LabelTable& table, ExamplePiece& piece) {
  std::vector<std::uint32_t> ids;
  std::vector<std::string> unknown;
  for (const std::string& name : piece.label_names) {
    std::uint32_t id = table.find(name);
    if (id == LabelTable::kMissing) {
      id = table.size() + static_cast<std::uint32_t>(unknown.size());
      unknown.push_back(name);
    }
    ids.push_back(id);
  }
  for (std::uint32_t& label : piece.labels) label = ids[label];
  piece.label_names = std::move(unknown);
}

/// Names of labels of an XMC file that the table does not know, as name_to_id() leaves them.
void name_unknown_ids(const LabelTable& table, ExamplePiece& piece) {
  std::map<std::uint32_t, std::uint32_t> places;
  for (std::uint32_t& label : piece.labels) {
    if (label < table.size()) continue;
    const auto next = static_cast<std::uint32_t>(places.size());
    const auto [place, is_new] = places.try_emplace(label, next);
    if (is_new) piece.label_names.push_back(std::to_string(label));
    label = table.size() + place->second;
  }
}

/// Gives unknown labels, which each piece counts anew, numbers of the whole input.
void number_unknown(std::uint32_t num_known, std::vector<ExamplePiece>& pieces,
                    LabelNumbers& numbers) {
  for (ExamplePiece& piece : pieces) {
    std::vector<std::uint32_t> ids;
    for (const std::string& name : piece.label_names) ids.push_back(numbers.number(name));
    for (std::uint32_t& label : piece.labels) {
      if (label >= num_known) label = num_known + ids[label - num_known];
    }
  }
}

void check_options(const FeatureOptions& options) {
  if (options.min_count < 1) {
    fail(ExitStatus::usage, "--min-count is ", options.min_count, ", expected at least 1");
  }
  if (options.label_prefix.empty()) {
    fail(ExitStatus::usage, "--label-prefix is empty, expected a text like __label__");
  }
  if (options.encoding != "utf-8" && options.encoding != "bytes") {
    fail(ExitStatus::usage, "--encoding is '", printable(options.encoding),
         "', expected utf-8 or bytes");
  }
  parse_columns(options.columns);
  static_cast<void>(NgramHasher(options));
}

/// A model of text takes tensors too, as `convert --model` makes them: their name tells.
bool is_tensors_for(const FeaturizerState& s, const std::string& path) {
  const std::string& format = s.input_format == "auto" ? s.options.format : s.input_format;
  return is_tensor_input("auto", path) || is_tensor_input(format, path);
}

}  // namespace

FeatureOptions with_default_ngrams(FeatureOptions options) {
  if (options.word_ngrams == kNgramsByData) options.word_ngrams = FeatureOptions().word_ngrams;
  if (options.char_ngrams == kCharsByData || options.char_ngrams == "none")
    options.char_ngrams = "";
  if (options.min_count == 0) options.min_count = kDefaultMinCount;
  return options;
}

Featurizer::Featurizer(FeatureOptions options) : state_(std::make_unique<FeaturizerState>()) {
  check_options(options);
  if (options.weighting != "auto") state_->weighting = Weighting(options.weighting);
  state_->options = std::move(options);
}
Featurizer::~Featurizer() = default;
Featurizer::Featurizer(Featurizer&&) noexcept = default;
Featurizer& Featurizer::operator=(Featurizer&&) noexcept = default;

std::uint64_t FeaturizerState::memory_limit() const {
  if (options.max_memory) return *options.max_memory;
  const std::uint64_t left = memory_available();
  return left == 0 ? std::numeric_limits<std::uint64_t>::max() : left / 2;
}

std::string FeaturizerState::spill_folder() const {
  return options.cache_dir.empty() ? temporary_folder() : options.cache_dir;
}

void FeaturizerState::choose_weighting(bool has_values) {
  if (options.weighting == "auto") options.weighting = has_values ? "none" : "tfidf";
  weighting = Weighting(options.weighting);
}

void FeaturizerState::check_kind(const InputLayout& input, const std::string& name) const {
  if (input.format->feature_ids == sparse) return;
  const auto fits = [this](const ExampleFormat& format) {
    return format.feature_ids == sparse && format.recognises != nullptr;
  };
  fail(ExitStatus::bad_input, name, ": format ", input.format->name, " has ",
       sparse ? "text" : "features as ids", ", but the model was trained on ",
       sparse ? "features as ids" : "text", ": expected ", format_names(fits, "or"));
}

std::span<const std::uint64_t> FeaturizerState::all_keys() const {
  return lent_keys.empty() ? keys : lent_keys;
}

std::vector<std::uint32_t> FeaturizerState::find(std::span<const std::uint64_t> hashes) const {
  if (hashes.size() * kKeysPerHash < all_keys().size()) {
    const std::lock_guard lock(index_mutex);
    if (!built_index && num_scans++ < kMostScans) return scan(all_keys(), hashes);
  }
  return look_up(index(), hashes);
}

const HashIndex& FeaturizerState::index() const {
  const std::lock_guard lock(index_mutex);
  if (!built_index) {
    const auto all = all_keys();
    built_index = std::make_unique<HashIndex>(std::vector<std::uint64_t>(all.begin(), all.end()));
  }
  return *built_index;
}

void FeaturizerState::apply(const InputLayout& input, std::span<const std::uint64_t> hashes,
                            ExamplePiece& piece) const {
  if (input.format->feature_ids) {
    for (std::uint32_t& feature : piece.features) {
      if (feature >= num_features) feature = HashIndex::kMissing;
    }
  } else {
    piece.features = find(hashes);
    unpack_counts(piece);
  }
  if (input.format->counts) {
    name_unknown_ids(labels, piece);
  } else {
    name_to_id(labels, piece);
  }
  drop_missing(piece);
}

void FeaturizerState::complete(Dataset& data, bool spilled) const {
  data.num_features = num_features;
  data.num_labels = labels.size();
  if (!spilled || data.size() == 0) return;
  const std::uint64_t bytes = std::max<std::uint64_t>(1, memory_of(data) / data.size());
  data.shuffle_block = std::max<std::uint64_t>(1, memory_limit() / 2 / bytes);
}

Dataset Featurizer::fit(const std::string& path) {
  if (is_tensor_input(state_->options.format, path)) {
    check_format_options(state_->options, example_formats().by_name(kTensorFormat), path);
    return weighted(learn_tensors(path), path);
  }
  return weighted(learn(*state_, path), path);
}

Dataset Featurizer::weighted(Dataset data, const std::string& path) const {
  set_example_weights(state_->options.weights, state_->labels, path, data);
  return data;
}

Dataset Featurizer::extend(const std::string& path) {
  if (is_tensors_for(*state_, path)) return weighted(learn_tensors(path), path);
  Dataset data = learn(*state_, path);
  state_->built_index = nullptr;
  return weighted(std::move(data), path);
}

Dataset Featurizer::read(const std::string& path) const {
  const FeaturizerState& s = *state_;
  if (is_tensors_for(s, path)) return read_tensors(path);
  PieceReader reader(path, kPieceSize);
  const InputLayout layout = s.match(Labels::required, reader.name(), reader.head());
  s.check_kind(layout, reader.name());
  ExampleReader source(reader, layout, s.options, s.known(),
                       [&](ExamplePiece& piece, std::span<const std::uint64_t> hashes) {
                         s.apply(layout, hashes, piece);
                       });
  Dataset data;
  std::optional<DatasetFile> file;
  LabelNumbers unknown;
  std::vector<ColumnValues> values;
  while (!source.at_end()) {
    std::vector<ExamplePiece> pieces = source.next_batch(s.memory_limit() / 2);
    number_unknown(s.labels.size(), pieces, unknown);
    for (const ExamplePiece& piece : pieces) add_values(piece.column_values, values);
    if (!file && source.at_end()) {
      append_examples(pieces, data);
      break;
    }
    if (!file) file.emplace(s.spill_folder());
    for (const ExamplePiece& piece : pieces) file->append(piece);
  }
  if (file) data = file->finish();
  data.unknown_labels = unknown.names();
  data.column_values = std::move(values);
  s.complete(data, file.has_value());
  s.weighting.apply(data, 0, reader.name());
  return data;
}

void Featurizer::take_labels(Dataset& data) {
  LabelTable& table = state_->labels;
  table = table.with(data.unknown_labels);
  for (std::uint32_t& label : data.labels) {
    if (!data.is_known(label)) label = table.find(data.unknown_labels[label - data.num_labels]);
  }
  data.num_labels = table.size();
  data.unknown_labels.clear();
}

InputLayout FeaturizerState::match(Labels labels, const std::string& name,
                                   std::string_view head) const {
  FeatureOptions told = options;
  told.format = input_format;
  told.header = input_header;
  told.separator = input_separator;
  told.weights = input_weights;
  return match_layout(layout, told, labels, name, head);
}

InputLayout Featurizer::layout_of(const std::string& name, std::string_view head) const {
  InputLayout layout = state_->match(Labels::optional, name, head);
  state_->check_kind(layout, name);
  return layout;
}

bool Featurizer::reads_text() const { return state_->layout.has_text(); }
bool Featurizer::reads_columns() const { return state_->layout.format->columns; }
bool Featurizer::is_number_table() const { return state_->layout.is_number_table(); }

void Featurizer::set_input(const FeatureOptions& options) {
  check_options(with_default_ngrams(options));
  if (options.format != "auto") example_formats().by_name(options.format);
  state_->input_format = options.format;
  state_->input_header = options.header;
  state_->input_separator = options.separator;
  state_->input_weights = options.weights;
  state_->options.weights = options.weights;
  state_->options.max_memory = options.max_memory;
  state_->options.cache_dir = options.cache_dir;
  state_->options.skip_bad = options.skip_bad;
}

void Featurizer::shorten_hashes() {
  FeaturizerState& s = *state_;
  if (s.sparse || s.options.hash_bits != kWholeHash) return;
  const int bits = short_hash_bits(s.keys.size());
  HashIndex distinct;
  std::vector<std::uint64_t> keys;
  for (const std::uint64_t hash : s.keys) {
    keys.push_back(short_hash(hash, bits));
    distinct.insert(keys.back());
  }
  const std::size_t hidden = keys.size() - distinct.size();
  if (hidden * kVisibleToHidden > keys.size()) return;
  s.keys = std::move(keys);
  s.options.hash_bits = bits;
  s.built_index = nullptr;
}

std::uint32_t Featurizer::num_features() const { return state_->num_features; }
std::uint32_t Featurizer::num_labels() const { return state_->labels.size(); }
const std::vector<std::string>& Featurizer::label_names() const { return state_->labels.names(); }
std::string Featurizer::label_name(std::uint32_t label) const { return state_->labels.name(label); }
const std::vector<std::string>& Featurizer::feature_names() const { return state_->names; }
const FeatureOptions& Featurizer::options() const { return state_->options; }

}  // namespace frugal::sparse
