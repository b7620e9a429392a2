#include "tools/tgn-train/data/stream_fingerprint.h"

#include "libcore/base/hash.h"

namespace frugal {
namespace {

std::uint64_t hash_rows(const FeatureRows& rows, std::uint64_t hash) {
  return hash_ends(std::span(rows.data, rows.rows * rows.row_bytes()), hash);
}

}  // namespace

std::string stream_fingerprint(const EventStream& stream) {
  std::uint64_t hash = stream.num_nodes();
  hash = hash_ends(stream.sources(), hash);
  hash = hash_ends(stream.destinations(), hash);
  hash = hash_ends(stream.times().whole(), hash);
  hash = hash_ends(stream.times().real(), hash);
  hash = hash_rows(stream.edge_features(), hash);
  hash = hash_rows(stream.node_features(), hash);
  return std::to_string(hash);
}

}  // namespace frugal
