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

void append_example(const Dataset& data, std::size_t i, const Kept& kept, Dataset& part) {
  const auto features = data.features_of(i);
  const auto values = data.values_of(i);
  for (std::size_t j = 0; j < features.size(); ++j) {
    const std::uint32_t id = kept.ids[features[j]];
    if (id == HashIndex::kMissing) continue;
    part.features.push_back(id);
    if (!values.empty()) part.values.push_back(values[j]);
  }
  for (const std::uint32_t l : data.labels_of(i)) part.labels.push_back(l);
  if (!data.weights.empty()) part.weights.push_back(data.weights[i]);
  part.feature_begin.push_back(part.features.size());
  part.label_begin.push_back(part.labels.size());
}

}  // namespace

Fold make_fold(const Dataset& counts, std::uint64_t number, const FoldFeatures& options,
               std::uint64_t seed) {
  std::vector<bool> held_out(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i)
    held_out[i] = Rng(seed, kFoldStream, i).below(kFolds) == number;
  const Kept kept = keep_features(counts, held_out, options);
  Fold fold;
  for (std::size_t i = 0; i < counts.size(); ++i)
    append_example(counts, i, kept, held_out[i] ? fold.held_out : fold.training);
  Weighting weighting(options.weighting);
  if (weighting.needs_idf()) weighting.add_idf(kept.counts, fold.training.size());
  for (Dataset* const part : {&fold.training, &fold.held_out}) {
    part->num_features = static_cast<std::uint32_t>(kept.counts.size());
    part->num_labels = counts.num_labels;
    if (options.weighting == "none") part->values.clear();
    weighting.apply(*part, 0, "held-out examples");
    part->sorted = counts.sorted;  // ids were made smaller in their order
    sort_features(*part);
    if (options.normalize) normalize_rows(*part);
  }
  return fold;
}

}  // namespace frugal::sparse
