#include "tools/tgn-train/train_identity.h"

#include <algorithm>
#include <sstream>

#include "libcore/base/hash.h"

namespace frugal {
namespace {

/// Of large arrays only so many bytes at either end are hashed: a fingerprint, not a checksum.
constexpr std::size_t kHashedBytes = std::size_t{1} << 20;

template <class T>
std::uint64_t hash_ends(std::span<const T> values, std::uint64_t hash) {
  const std::span<const std::byte> bytes = std::as_bytes(values);
  const std::size_t n = std::min(bytes.size(), kHashedBytes);
  hash = hash_bytes(bytes.data(), n, hash + bytes.size());
  return hash_bytes(bytes.data() + bytes.size() - n, n, hash);
}

std::uint64_t hash_rows(const FeatureRows& rows, std::uint64_t hash) {
  return hash_ends(std::span(rows.data, rows.rows * rows.row_bytes()), hash);
}

}  // namespace

std::string training_text(const TrainOptions& o) {
  const TgnOptions& n = o.network;
  std::ostringstream out;
  out.precision(17);
  out << "arch=" << architecture_name(n.architecture) << " message=" << message_name(n.message)
      << " aggregator=" << aggregator_name(n.aggregator) << " updater=" << updater_name(n.updater)
      << " embedding=" << embedding_name(n.embedding) << " memory-dim=" << n.memory_dim
      << " time-dim=" << n.time_dim << " message-dim=" << n.message_dim << " layers=" << n.layers
      << " neighbors=" << n.neighbors << " sampling=" << sampling_name(n.sampling)
      << " heads=" << n.heads << " dropout=" << n.dropout << " train-time=" << n.train_time
      << " dyrep=" << n.dyrep << " precision=" << static_cast<int>(n.precision)
      << " memory=" << memory_mode_name(o.mode) << " refresh=" << refresh_name(o.refresh)
      << " memory-dtype=" << dtype_name(o.memory_dtype) << " pair-features=" << o.pair_features
      << " train-until=" << o.split.train_until << " valid-until=" << o.split.valid_until
      << " new-nodes=" << o.split.new_nodes << " split-seed=" << o.split.seed
      << " batch=" << o.batch << " window=" << o.memory_window() << " skip-events=" << o.skip
      << " eval=" << o.evaluates << " learning-rate=" << o.learning_rate << " epochs=" << o.epochs
      << " patience=" << o.patience << " steps=" << o.steps << " eval-batch=" << o.eval_batch
      << " seed=" << o.seed;
  return out.str();
}

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
