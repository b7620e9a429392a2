#include <algorithm>
#include <atomic>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/system/free_memory.h"
#include "libcore/system/limits.h"
#include "libcore/threading/parallel.h"
#include "tools/sparse-train/data/data_gaps.h"
#include "tools/sparse-train/data/layout_finder.h"
#include "tools/sparse-train/text/dataset_writer.h"
#include "tools/sparse-train/text/example_piece.h"
#include "tools/sparse-train/text/example_reader.h"
#include "tools/sparse-train/text/featurizer.h"
#include "tools/sparse-train/text/featurizer_state.h"
#include "tools/sparse-train/text/vocabulary.h"

namespace frugal::sparse {
namespace {

/// Small enough that the pieces of a few MB of text keep many cores busy.
constexpr std::size_t kFitPieceSize = std::size_t{256} << 10;
/// Memory of the pieces whose n-grams are hashes at a time, for each thread, at least, and as a
/// share of what was read before. Hashes take three times the memory of ids, but counting more of
/// them at a time is faster.
constexpr std::uint64_t kHashedOfThread = std::uint64_t{4} << 20;
constexpr std::uint64_t kLeastHashed = std::uint64_t{16} << 20;
constexpr std::uint64_t kHashedShare = 2;
/// Pieces that become part of a dataset, and are freed, at a time.
constexpr std::size_t kPiecesTogether = 64;
/// Memory of pieces from which on it is given back once it is free: the dataset and the network
/// have mapped memory of their own.
constexpr std::uint64_t kMuchMemory = std::uint64_t{16} << 20;

/// Whatever learns from it keeps at least this much of each, so larger ids are refused before: a
/// weight and a sum of squares; a name and a count.
constexpr std::uint64_t kBytesPerFeature = 8, kBytesPerLabel = sizeof(std::string) + 8;

InputLayout layout_of(const FeaturizerState& state, PieceReader& reader) {
  return state.fitted ? state.match(Labels::required, reader.name(), reader.head())
                      : find_layout(state.options, reader.name(), reader.head());
}

/// One reading of training data. What has been fixed before keeps its ids; new features and labels
/// follow behind. Batch after batch, n-grams get preliminary ids. Examples wait for the final ids
/// in memory or, where they are too many, in a file.
class Learner {
 public:
  Learner(FeaturizerState& state, const std::string& path)
      : s_(state),
        reader_(path, kFitPieceSize),
        layout_(layout_of(state, reader_)),
        sample_(state.fitted ? 0 : layout_.num_number_columns()),
        num_known_(state.num_features),
        vocabulary_(state.fitted && !state.sparse ? &state.index() : nullptr),
        label_numbers_(is_sparse()) {}

  Dataset run() {
    if (layout_.format->unlabelled) {
      fail(ExitStatus::usage,
           "--format text has no labels, expected a format of labelled examples");
    }
    if (s_.fitted) s_.check_kind(layout_, reader_.name());
    if (!s_.fitted) {
      check_format_options(s_.options, *layout_.format, reader_.name());
      s_.choose_weighting(is_sparse());
    }
    read();
    check_ranges();
    fix_labels();
    fix_features();
    remember_layout();
    Dataset data = build();
    if (data.size() == 0) {
      fail(ExitStatus::bad_input, reader_.name(), ": has no examples to train on");
    }
    s_.complete(data, file_.has_value());
    check_label_column(data);
    if (s_.weighting.needs_idf()) add_idf(data);
    s_.weighting.apply(data, 0, reader_.name());
    return data;
  }

 private:
  void read();
  void take_in(std::vector<ExamplePiece>& pieces);
  void put_away();
  void give_ids(std::vector<ExamplePiece>& pieces) const;
  std::uint64_t sparse_feature_range() const;
  void check_ranges() const;
  void hint_at_separator() const;
  void warn_of_joined_words() const;
  void check_label_column(const Dataset& data) const;
  void fix_labels();
  void fix_features();
  void remember_layout();
  void finalize(ExamplePiece& piece) const;
  void append_numbers(ExamplePiece& piece) const;
  void finalize_all(std::span<ExamplePiece> pieces) const;
  Dataset build();
  Dataset build_in_memory();
  void add_idf(const Dataset& data);
  bool is_sparse() const { return layout_.format->feature_ids; }

  FeaturizerState& s_;
  PieceReader reader_;
  InputLayout layout_;
  NumberSample sample_;
  std::uint32_t num_known_;  ///< features that had ids before
  VocabularyBuilder vocabulary_;
  LabelNumbers label_numbers_;
  std::vector<std::uint32_t> label_ids_;  ///< by number
  std::uint32_t highest_feature_ = 0;     ///< svmlight
  std::vector<ExamplePiece> pieces_;      ///< those in memory
  std::uint64_t memory_ = 0;              ///< of all pieces so far, as ExamplePiece::memory()
  std::optional<PieceFile> file_;
};

std::vector<HashedPiece*> hashed_of(std::vector<ExamplePiece>& pieces) {
  std::vector<HashedPiece*> hashed;
  for (ExamplePiece& piece : pieces) hashed.push_back(&piece.hashed);
  return hashed;
}

void Learner::read() {
  // Numbers become features at once where a model knows their edges.
  const KnownFeatures known{s_.fitted ? &s_.numbers : nullptr, nullptr};
  ExampleReader source(reader_, layout_, s_.options, known,
                       [](ExamplePiece& piece, std::span<const std::uint64_t> hashes) {
                         piece.hashed = HashedPiece(hashes);
                       });
  const std::uint64_t limit = s_.memory_limit() / 2;
  const auto threads = static_cast<std::uint64_t>(num_threads());
  const std::uint64_t batch = std::max(kLeastHashed, threads * kHashedOfThread);
  while (!source.at_end()) {
    std::vector<ExamplePiece> pieces =
        source.next_batch(std::min(limit, std::max(batch, memory_ / kHashedShare)));
    for (const ExamplePiece& piece : pieces) memory_ += piece.memory();
    take_in(pieces);
    give_ids(pieces);
    std::move(pieces.begin(), pieces.end(), std::back_inserter(pieces_));
    if (memory_ > limit) put_away();
  }
}

void Learner::take_in(std::vector<ExamplePiece>& pieces) {
  for (ExamplePiece& piece : pieces) {
    sample_.add(piece.numbers);
    std::vector<std::uint32_t> numbers;
    for (const std::string& name : piece.label_names) {
      numbers.push_back(label_numbers_.number(name));
    }
    if (!layout_.format->counts) {
      for (std::uint32_t& label : piece.labels) label = numbers[label];
    }
    piece.label_names.clear();
    if (layout_.format->counts) continue;
    for (const std::uint32_t f : piece.features) highest_feature_ = std::max(highest_feature_, f);
  }
  if (!is_sparse()) vocabulary_.add(hashed_of(pieces));
}

/// Replaces hashes by preliminary ids.
void Learner::give_ids(std::vector<ExamplePiece>& pieces) const {
  if (is_sparse()) return;
  parallel_for(pieces.size(), 1, [&](std::size_t p) {
    pieces[p].features = VocabularyBuilder::take_ids(pieces[p].hashed);
  });
}

void Learner::put_away() {
  if (!file_) file_.emplace(s_.spill_folder());
  for (const ExamplePiece& piece : pieces_) file_->write(piece);
  pieces_.clear();
}

std::uint64_t Learner::sparse_feature_range() const {
  return layout_.format->counts ? layout_.feature_limit : highest_feature_ + std::uint64_t{1};
}

/// Ids are believed, and so is a header; but a line of 20 bytes must not take all memory.
void Learner::check_ranges() const {
  if (!is_sparse()) return;
  const std::uint64_t features = sparse_feature_range();
  const std::string range = std::to_string(features) + " features";
  if (layout_.format->counts) {
    check_memory(reader_.name() + ":1: the header claims " + range + " and " +
                     std::to_string(layout_.label_limit) + " labels: a table of them",
                 features * kBytesPerFeature + layout_.label_limit * kBytesPerLabel);
  } else {
    check_memory(reader_.name() + ": the highest feature is " + std::to_string(highest_feature_) +
                     ": a table of " + range,
                 features * kBytesPerFeature);
  }
}

/// Once a run, which may read the data several times.
void Learner::hint_at_separator() const {
  static std::atomic<bool> hinted{false};
  if (s_.options.quiet || hinted) return;
  const JoinedLabels joined = find_joined_labels(label_numbers_.names());
  if (joined.separator.empty() || hinted.exchange(true)) return;
  log_warning(reader_.name(), ": labels like '", printable(joined.example, 60),
              "' are each taken as one; --label-separator '", joined.separator,
              "' makes several labels of them");
}

/// Warns once a run, which may read the data several times.
void Learner::warn_of_joined_words() const {
  static std::atomic<bool> warned{false};
  if (s_.options.quiet || warned) return;
  const std::string example = find_label_with_word(label_numbers_.names());
  if (example.empty() || warned.exchange(true)) return;
  log_warning(reader_.name(), ": the label '", printable(example, 60),
              "' contains a comma and perhaps a word of the text: a blank ends a label");
}

/// A column whose values hardly repeat is no label, unless the user says so.
void Learner::check_label_column(const Dataset& data) const {
  const bool asked = !s_.options.label_column.empty() || !s_.options.columns.empty();
  const bool one_label = layout_.format->columns && !layout_.has_several_labels();
  const bool one_number =
      is_sparse() && !layout_.format->counts && data.labels.size() == data.size();
  if (!(one_label || one_number) || s_.options.quiet || !labels_hardly_repeat(data)) return;
  const std::string differ = std::to_string(label_numbers_.names().size()) + " of its " +
                             std::to_string(data.labels.size());
  if (one_number) {
    return log_warning(reader_.name(), ": ", differ, " labels differ: hardly any label can be ",
                       "learnt, since labels are classes and no numbers to predict");
  }
  if (!find_joined_labels(label_numbers_.names()).separator.empty()) return;  // which is hinted at
  const std::string problem = reader_.name() + ": " + layout_.column_text(layout_.label_column) +
                              (asked ? " is" : " is taken for") + " the label, and " + differ +
                              " values differ";
  if (asked) return log_warning(problem, ": hardly any label can be learnt");
  fail(ExitStatus::bad_input, problem,
       ", expected labels that repeat: --label-column says which column it is",
       layout_.header.empty() ? "" : " of " + joined(layout_.header));
}

void Learner::fix_labels() {
  if (layout_.format->counts) {
    const auto limit = static_cast<std::uint32_t>(layout_.label_limit);
    if (!s_.fitted) {
      s_.labels = LabelTable::numbered(limit);
    } else if (limit > s_.labels.size()) {
      s_.labels = s_.labels.with({std::to_string(limit - 1)});
    }
    return;
  }
  if (layout_.format->columns && layout_.label_separator.empty()) hint_at_separator();
  if (layout_.format->texts) warn_of_joined_words();
  s_.labels = s_.labels.with(label_numbers_.names());
  for (const std::string& name : label_numbers_.names()) label_ids_.push_back(s_.labels.find(name));
}

void Learner::fix_features() {
  if (is_sparse()) {
    s_.num_features = std::max(s_.num_features, static_cast<std::uint32_t>(sparse_feature_range()));
    return;
  }
  vocabulary_.finish({static_cast<std::uint32_t>(s_.options.min_count), s_.options.max_features});
  if (memory_ > kMuchMemory) return_free_memory();
  s_.keys.insert(s_.keys.end(), vocabulary_.keys().begin(), vocabulary_.keys().end());
  const std::size_t groups =
      NumberFeatures::groups_for(layout_.num_number_columns(), sample_.num_examples());
  for (const InputColumn& column : layout_.columns) {
    if (s_.fitted || column.type != ColumnType::number) continue;
    const NumberFeatures& learnt = s_.numbers.emplace_back(
        NumberFeatures::learn(column.name, sample_.column(column.number), groups));
    for (std::size_t f = 0; f < learnt.num_features(); ++f) {
      s_.keys.push_back(learnt.hash(f));
    }
  }
  s_.num_features = static_cast<std::uint32_t>(s_.keys.size());
}

void Learner::remember_layout() {
  if (s_.fitted) return;
  s_.sparse = is_sparse();
  s_.layout = layout_;
  s_.layout.allow_any_id();
  s_.options.format = layout_.format->name;  // later inputs are expected to look like this one
  s_.fitted = true;
}

/// Preliminary ids become the final ones.
void Learner::finalize(ExamplePiece& piece) const {
  if (!is_sparse()) {
    for (std::uint32_t& f : piece.features) f = vocabulary_.final_id(f);
  }
  unpack_counts(piece);
  if (!layout_.format->counts) {
    for (std::uint32_t& label : piece.labels) label = label_ids_[label];
  }
  drop_missing(piece);
  if (!piece.numbers.empty()) append_numbers(piece);
}

/// The features of numbers have their ids behind those of the vocabulary, column after column.
void Learner::append_numbers(ExamplePiece& piece) const {
  ExamplePiece out;
  const std::uint32_t* feature = piece.features.data();
  // Numbers alone leave no values in the piece, though they get some.
  const bool has_values = s_.options.weighting != "none";
  const float* value = piece.values.data();
  const double* number = piece.numbers.data();
  for (std::uint32_t& size : piece.num_features) {
    out.features.insert(out.features.end(), feature, feature + size);
    if (has_values) out.values.insert(out.values.end(), value, value + size);
    feature += size;
    if (has_values) value += size;
    const std::size_t before = out.features.size();
    auto base = static_cast<std::uint32_t>(vocabulary_.keys().size());
    for (const NumberFeatures& of_column : s_.numbers) {
      const std::size_t first = out.features.size();
      of_column.append_features(*number++, out.features);
      for (std::size_t i = first; i < out.features.size(); ++i) out.features[i] += base;
      base += static_cast<std::uint32_t>(of_column.num_features());
    }
    if (has_values) out.values.resize(out.features.size(), 1.0F);
    size += static_cast<std::uint32_t>(out.features.size() - before);
  }
  piece.features.swap(out.features);
  piece.values.swap(out.values);
  piece.numbers.clear();
}

void Learner::finalize_all(std::span<ExamplePiece> pieces) const {
  parallel_for(pieces.size(), 1, [&](std::size_t p) { finalize(pieces[p]); });
}

Dataset Learner::build_in_memory() {
  Dataset data;
  reserve_for(pieces_, data);
  const std::span<ExamplePiece> all(pieces_);
  for (std::size_t begin = 0; begin < all.size(); begin += kPiecesTogether) {
    const auto pieces = all.subspan(begin, std::min(kPiecesTogether, all.size() - begin));
    finalize_all(pieces);
    append_examples(pieces, data);
    for (ExamplePiece& piece : pieces) piece = ExamplePiece();
    if (memory_ > kMuchMemory) return_free_memory();
  }
  return data;
}

Dataset Learner::build() {
  if (!file_) return build_in_memory();
  DatasetFile out(s_.spill_folder());
  const std::uint64_t limit = s_.memory_limit() / 2;
  for (auto pieces = file_->read_batch(limit); !pieces.empty(); pieces = file_->read_batch(limit)) {
    finalize_all(pieces);
    for (const ExamplePiece& piece : pieces) out.append(piece);
  }
  return out.finish();
}

/// Features that had a weight keep it.
void Learner::add_idf(const Dataset& data) {
  std::vector<std::uint32_t> counts = vocabulary_.counts();
  const std::size_t counted = num_known_ + counts.size();
  counts.resize(s_.num_features - num_known_);
  if (counted < s_.num_features) {
    for (const std::uint32_t f : data.features) {
      if (f >= counted) ++counts[f - num_known_];
    }
  }
  s_.weighting.add_idf(counts, data.size());
}

}  // namespace

Dataset learn(FeaturizerState& state, const std::string& path) {
  return Learner(state, path).run();
}

}  // namespace frugal::sparse
