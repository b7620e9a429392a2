#include "tools/sparse-train/text/example_piece.h"

#include <limits>

namespace frugal::sparse {

void pack_counts(std::span<const std::uint32_t> counts, ExamplePiece& piece) {
  const std::size_t first = piece.counts.size();
  piece.counts.resize(first + counts.size());
  std::uint8_t* const packed = piece.counts.data() + first;
  bool all_small = true;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const bool is_small = counts[i] <= std::numeric_limits<std::uint8_t>::max();
    packed[i] = static_cast<std::uint8_t>(is_small ? counts[i] : 0);
    all_small &= is_small;
  }
  if (all_small) return;
  for (const std::uint32_t count : counts) {
    if (count > std::numeric_limits<std::uint8_t>::max()) piece.large_counts.push_back(count);
  }
}

void unpack_counts(ExamplePiece& piece) {
  if (piece.counts.empty()) return;
  piece.values.resize(piece.counts.size());
  auto large = piece.large_counts.begin();
  for (std::size_t i = 0; i < piece.counts.size(); ++i)
    piece.values[i] = static_cast<float>(piece.counts[i] != 0 ? piece.counts[i] : *large++);
  piece.counts = {};
  piece.large_counts = {};
}

template <class T>
void PieceFile::put(const std::vector<T>& values) {
  const std::uint64_t size = values.size();
  file_.write(&size, sizeof size);
  file_.write(values.data(), values.size() * sizeof(T));
}

template <class T>
void PieceFile::get(std::vector<T>& values) {
  std::uint64_t size = 0;
  file_.read(at_, &size, sizeof size);
  values.resize(size);
  file_.read(at_ + sizeof size, values.data(), size * sizeof(T));
  at_ += sizeof size + size * sizeof(T);
}

void PieceFile::write(const ExamplePiece& piece) {
  put(piece.num_features);
  put(piece.features);
  put(piece.values);
  put(piece.counts);
  put(piece.large_counts);
  put(piece.numbers);
  put(piece.weights);
  put(piece.num_labels);
  put(piece.labels);
}

std::vector<ExamplePiece> PieceFile::read_batch(std::uint64_t max_memory) {
  std::vector<ExamplePiece> pieces;
  for (std::uint64_t memory = 0; at_ < file_.size() && (memory < max_memory || pieces.empty());) {
    ExamplePiece& piece = pieces.emplace_back();
    get(piece.num_features);
    get(piece.features);
    get(piece.values);
    get(piece.counts);
    get(piece.large_counts);
    get(piece.numbers);
    get(piece.weights);
    get(piece.num_labels);
    get(piece.labels);
    memory += piece.memory();
  }
  return pieces;
}

}  // namespace frugal::sparse
