#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/io/piece_reader.h"
#include "libcore/io/record_reader.h"
#include "tools/sparse-train/data/featurizer_state.h"

namespace frugal::sparse {

std::vector<std::string> Featurizer::feature_names_of(std::string_view record) const {
  const FeaturizerState& s = *state_;
  ExampleParser parser(s.options, s.layout, &s.bins);
  parser.keep_names();
  ExamplePiece piece;
  parser.parse_record(record, piece);
  std::vector<std::string> names;
  if (s.sparse) {
    for (const std::uint32_t f : piece.features) {
      if (f < s.num_features) names.push_back("feature " + std::to_string(f));
    }
    return names;
  }
  const auto hashes = parser.hashes();
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (s.index().find(hashes[i]) != HashIndex::kMissing) names.push_back(parser.names()[i]);
  }
  return names;
}

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
  for (const NumberBins& bins : s.bins) {
    for (std::size_t f = 0; f < bins.num_features(); ++f) keep(bins.hash(f), bins.name(f));
  }
  ExampleParser parser(s.options, s.layout, &s.bins);
  parser.keep_names();
  RecordReader reader(path, s.layout.format->style);
  std::string_view record;
  while (num_missing > 0 && reader.next(record)) {
    if (reader.line_number() == 1 && is_header(record)) continue;
    ExamplePiece piece;
    try {
      parser.parse_record(record, piece);
    } catch (const Error&) {
      continue;  // fit() has passed over it
    }
    const auto hashes = parser.hashes();
    for (std::size_t i = 0; i < hashes.size(); ++i) keep(hashes[i], parser.names()[i]);
  }
}

}  // namespace frugal::sparse
