#include "tools/sparse-train/text/example_piece.h"

#include <utility>

namespace frugal::sparse {
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
    get(piece.numbers);
    get(piece.weights);
    get(piece.num_labels);
    get(piece.labels);
    memory += piece.memory();
  }
  return pieces;
}

}  // namespace frugal::sparse
