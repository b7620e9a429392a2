#include "tools/sparse-train/text/dataset_writer.h"

#include <algorithm>
#include <utility>

#include "libcore/threading/parallel.h"

namespace frugal::sparse {
namespace {

template <class T>
void copy_to(const std::vector<T>& from, Column<T>& to, std::uint64_t begin) {
  std::copy(from.begin(), from.end(), to.begin() + static_cast<std::ptrdiff_t>(begin));
}

struct Offsets {
  std::size_t examples, features, labels;
};

/// Writes begin[first + 1 + i], where the row before them begins at `offset`.
void write_begins(const std::vector<std::uint32_t>& sizes, std::size_t first, std::uint64_t offset,
                  Column<std::uint64_t>& begin) {
  std::uint64_t* to = begin.data() + first + 1;
  for (const std::uint32_t size : sizes) *to++ = offset += size;
}

template <class T>
Column<T> map_column(TemporaryFile& file) {
  const std::size_t size = file.size() / sizeof(T);
  return Column<T>(file.map(), 0, size);
}

}  // namespace

void reserve_for(std::span<const ExamplePiece> pieces, Dataset& data) {
  Offsets all{0, 0, 0};
  for (const ExamplePiece& piece : pieces) {
    all.examples += piece.size();
    all.features += piece.features.size() + piece.numbers.size();
    all.labels += piece.labels.size();
  }
  data.feature_begin.reserve(all.examples + 1);
  data.label_begin.reserve(all.examples + 1);
  data.features.reserve(all.features);
  data.values.reserve(all.features);
  data.labels.reserve(all.labels);
}

void append_examples(std::span<const ExamplePiece> pieces, Dataset& data) {
  std::vector<Offsets> offsets;
  Offsets end{data.size(), data.features.size(), data.labels.size()};
  bool has_values = false, has_weights = false;
  for (const ExamplePiece& piece : pieces) {
    offsets.push_back(end);
    end.examples += piece.size();
    end.features += piece.features.size();
    end.labels += piece.labels.size();
    has_values |= !piece.values.empty();
    has_weights |= !piece.weights.empty();
  }
  data.feature_begin.resize(end.examples + 1);
  data.label_begin.resize(end.examples + 1);
  data.features.resize(end.features);
  if (has_values) data.values.resize(end.features);
  data.labels.resize(end.labels);
  if (has_weights) data.weights.resize(end.examples);
  parallel_for(pieces.size(), 1, [&](std::size_t p) {
    const ExamplePiece& piece = pieces[p];
    const Offsets& at = offsets[p];
    write_begins(piece.num_features, at.examples, at.features, data.feature_begin);
    write_begins(piece.num_labels, at.examples, at.labels, data.label_begin);
    copy_to(piece.features, data.features, at.features);
    copy_to(piece.values, data.values, at.features);
    copy_to(piece.labels, data.labels, at.labels);
    copy_to(piece.weights, data.weights, at.examples);
  });
}

DatasetFile::DatasetFile(const std::string& folder)
    : feature_begin_(folder),
      features_(folder),
      values_(folder),
      label_begin_(folder),
      labels_(folder),
      weights_(folder) {
  feature_begin_.write(&num_features_, sizeof num_features_);
  label_begin_.write(&num_labels_, sizeof num_labels_);
}

void DatasetFile::append(const ExamplePiece& piece) {
  for (const std::uint32_t size : piece.num_features) {
    num_features_ += size;
    feature_begin_.write(&num_features_, sizeof num_features_);
  }
  for (const std::uint32_t size : piece.num_labels) {
    num_labels_ += size;
    label_begin_.write(&num_labels_, sizeof num_labels_);
  }
  features_.write(piece.features.data(), piece.features.size() * sizeof(std::uint32_t));
  labels_.write(piece.labels.data(), piece.labels.size() * sizeof(std::uint32_t));
  weights_.write(piece.weights.data(), piece.weights.size() * sizeof(float));
  if (piece.values.empty()) {
    const std::vector<float> ones(piece.features.size(), 1.0F);
    values_.write(ones.data(), ones.size() * sizeof(float));
  } else {
    values_.write(piece.values.data(), piece.values.size() * sizeof(float));
  }
}

Dataset DatasetFile::finish() {
  Dataset data;
  data.feature_begin = map_column<std::uint64_t>(feature_begin_);
  data.features = map_column<std::uint32_t>(features_);
  data.values = map_column<float>(values_);
  data.label_begin = map_column<std::uint64_t>(label_begin_);
  data.labels = map_column<std::uint32_t>(labels_);
  if (weights_.size() > 0) data.weights = map_column<float>(weights_);
  return data;
}

std::uint64_t memory_of(const Dataset& data) {
  return 16 * data.size() + 8 * data.features.size() + 4 * data.labels.size();
}

}  // namespace frugal::sparse
