#include "tools/tgn-train/data/stream_fingerprint.h"

#include <cstdint>
#include <span>

#include "libcore/base/hash.h"

namespace frugal {
namespace {

template <class T>
std::uint64_t hash_array(std::span<const T> values, std::uint64_t hash) {
  return hash_bytes(values.data(), values.size_bytes(), hash + values.size());
}

std::uint64_t hash_rows(const FeatureRows& rows, std::uint64_t hash) {
  return hash_array(std::span(rows.data, rows.rows * rows.row_bytes()), hash);
}

}  // namespace

std::string stream_fingerprint(const EventStream& stream) {
  std::uint64_t hash = stream.num_nodes();
  hash = hash_array(stream.sources(), hash);
  hash = hash_array(stream.destinations(), hash);
  hash = hash_array(stream.times().whole(), hash);
  hash = hash_array(stream.times().real(), hash);
  hash = hash_rows(stream.edge_features(), hash);
  hash = hash_rows(stream.node_features(), hash);
  return std::to_string(hash);
}

}  // namespace frugal
