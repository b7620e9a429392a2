#pragma once
#include <functional>
#include <span>
#include <vector>

#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/data/example_parser.h"

namespace frugal {

using FinishPiece = std::function<void(ExamplePiece& piece, std::span<const std::uint64_t> hashes)>;

/// Reads all examples of an input with all threads: whoever is free takes the next piece of the
/// text, parses it and, while it is in the caches, calls finish(piece, hashes of its n-grams), on
/// several threads at once. Pieces come back in order, the same for any number of threads. Fails
/// with the first bad line beyond options.skip_bad, or where an XMC header does not tell the number
/// of points.
std::vector<ExamplePiece> read_examples(PieceReader& reader, const InputLayout& layout,
                                        const FeatureOptions& options, const FinishPiece& finish);

/// Takes features and labels that are HashIndex::kMissing or LabelTable::kMissing out of a piece.
void drop_missing(ExamplePiece& piece);

/// Appends the examples of the pieces, whose features and labels are ids, to a dataset.
void append_examples(const std::vector<ExamplePiece>& pieces, Dataset& data);

}  // namespace frugal
