#include "tools/sparse-train/text/folds.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/hash_index.h"
#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "tools/sparse-train/data/records.h"
#include "tools/sparse-train/text/weighting.h"

namespace frugal::sparse {
namespace {

constexpr std::uint64_t kSampleStream = 0x72;
/// One byte in so many makes a text dense: beside Chinese stand names and numbers in Latin.
constexpr std::uint64_t kDenseShare = 8;

struct CharacterRange {
  std::uint32_t first, last;
};
constexpr CharacterRange kDense[] = {
    {0xE00, 0x109F},    // Thai, Lao, Tibetan, Burmese
    {0x1100, 0x139F},   // Hangul, Ethiopic
    {0x1780, 0x17FF},   // Khmer
    {0x3040, 0xA4CF},   // kana, Chinese characters, Yi
    {0xAC00, 0xD7FF},   // Hangul
    {0xF900, 0xFAFF},   // Chinese characters
    {0x20000, 0x3FFFF}  // Chinese characters
};

std::uint64_t count_dense_bytes(std::string_view text) {
  std::uint64_t bytes = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (static_cast<unsigned char>(text[at]) < 0xE0) continue;
    const std::size_t size = utf8_length(text.substr(at));
    if (size < 3) continue;
    const std::uint32_t c = utf8_character(text.substr(at), size);
    const bool dense = std::any_of(
        std::begin(kDense), std::end(kDense),
        [c](const CharacterRange& range) { return c >= range.first && c <= range.last; });
    bytes += dense ? size : 0;
  }
  return bytes;
}

}  // namespace

TextSample::TextSample(const std::string& data, const FeatureOptions& features,
                       std::uint64_t most_bytes, std::uint64_t seed)
    : layout_(layout_of_file(data, features)), path_(data) {
  std::uint64_t dense_bytes = 0;
  for_each_record(data, layout_, [&](std::string_view record, std::uint64_t) {
    ++num_examples_;
    num_bytes_ += record.size();
    dense_bytes += count_dense_bytes(record);
  });
  has_dense_script_ = dense_bytes > num_bytes_ / kDenseShare;
  if (num_bytes_ <= most_bytes) return;
  folder_ = make_temporary_folder("sample");
  path_ = folder_ + "/sample";
  write_part(data, static_cast<double>(most_bytes) / static_cast<double>(num_bytes_), seed);
}

void TextSample::write_part(const std::string& data, double share, std::uint64_t seed) {
  std::ofstream file;
  open_part(file, path_);
  if (layout_.has_header) file << first_record(data, layout_) << '\n';
  num_examples_ = num_bytes_ = 0;
  for_each_record(data, layout_, [&](std::string_view record, std::uint64_t i) {
    if (Rng(seed, kSampleStream, i).uniform() >= share) return;
    file << record << '\n';
    ++num_examples_;
    num_bytes_ += record.size();
  });
  file.close();
  if (!file) fail(ExitStatus::io_error, path_, ": cannot write");
}

TextSample::~TextSample() {
  std::error_code ignored;
  if (is_part()) std::filesystem::remove_all(folder_, ignored);
}

namespace {

constexpr std::uint64_t kFoldStream = 0x73;

/// The features that are kept: their new ids, which keep the order, and their counts by new id.
struct Kept {
  std::vector<std::uint32_t> ids;
  std::vector<std::uint32_t> counts;
};

Kept keep_features(const Dataset& data, const std::vector<bool>& held_out,
                   const FoldFeatures& options) {
  Kept kept;
  std::vector<std::uint32_t> counts(data.num_features);
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (held_out[i]) continue;
    for (const std::uint32_t f : data.features_of(i)) ++counts[f];
  }
  kept.ids.assign(counts.size(), HashIndex::kMissing);
  for (std::size_t f = 0; f < counts.size(); ++f) {
    if (options.max_features != 0 && kept.counts.size() >= options.max_features) break;
    if (counts[f] < options.min_count) continue;
    kept.ids[f] = static_cast<std::uint32_t>(kept.counts.size());
    kept.counts.push_back(counts[f]);
  }
  return kept;
}

/// Room for all examples that are held out or, with `side` false, that are not. What earlier folds
/// needed is used again.
void make_room(const Dataset& data, const std::vector<bool>& held_out, bool side, Dataset& part) {
  std::size_t examples = 0, features = 0, labels = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (held_out[i] != side) continue;
    ++examples;
    features += data.features_of(i).size();
    labels += data.labels_of(i).size();
  }
  part.feature_begin.resize(examples + 1);
  part.label_begin.resize(examples + 1);
  part.feature_begin[0] = part.label_begin[0] = 0;
  part.features.resize(features);
  part.values.resize(data.values.empty() ? 0 : features);
  part.labels.resize(labels);
  part.weights.resize(data.weights.empty() ? 0 : examples);
}

/// Copies the examples of one side with the features that are kept.
void copy_examples(const Dataset& data, const std::vector<bool>& held_out, bool side,
                   const Kept& kept, Dataset& part) {
  make_room(data, held_out, side, part);
  std::uint32_t* const features = part.features.data();
  float* const values = part.values.data();
  std::uint32_t* label = part.labels.data();
  std::size_t example = 0, size = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (held_out[i] != side) continue;
    const auto ids = data.features_of(i);
    const auto counts = data.values_of(i);
    for (std::size_t j = 0; j < ids.size(); ++j) {
      const std::uint32_t id = kept.ids[ids[j]];
      features[size] = id;
      if (!counts.empty()) values[size] = counts[j];
      size += id != HashIndex::kMissing ? 1 : 0;
    }
    label = std::ranges::copy(data.labels_of(i), label).out;
    if (!data.weights.empty()) part.weights[example] = data.weights[i];
    ++example;
    part.feature_begin[example] = size;
    part.label_begin[example] = static_cast<std::uint64_t>(label - part.labels.data());
  }
  part.features.resize(size);
  if (!data.values.empty()) part.values.resize(size);
}

}  // namespace

void make_fold(const Dataset& counts, std::uint64_t number, const FoldFeatures& options,
               std::uint64_t seed, Fold& fold) {
  std::vector<bool> held_out(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i)
    held_out[i] = Rng(seed, kFoldStream, i).below(kFolds) == number;
  const Kept kept = keep_features(counts, held_out, options);
  copy_examples(counts, held_out, false, kept, fold.training);
  copy_examples(counts, held_out, true, kept, fold.held_out);
  Weighting weighting(options.weighting);
  if (weighting.needs_idf()) weighting.add_idf(kept.counts, fold.training.size());
  for (Dataset* const part : {&fold.training, &fold.held_out}) {
    part->num_features = static_cast<std::uint32_t>(kept.counts.size());
    part->num_labels = counts.num_labels;
    if (options.weighting == "none") part->values.clear();
    weighting.apply(*part, 0, "held-out examples");
    part->sorted = counts.sorted;  // ids were made smaller in their order
    part->normalized = false;
    sort_features(*part);
    if (options.normalize) normalize_rows(*part);
  }
}

}  // namespace frugal::sparse
