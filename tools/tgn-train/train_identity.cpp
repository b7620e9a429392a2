#include "tools/tgn-train/train_identity.h"

#include <sstream>

namespace frugal::tgn {

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
      << " ties=" << ties_name(o.ties) << " memory-dtype=" << dtype_name(o.memory_dtype)
      << " pair-features=" << o.pair_features << " train-until=" << o.split.train_until
      << " valid-until=" << o.split.valid_until << " new-nodes=" << o.split.new_nodes
      << " split-seed=" << o.split.seed << " batch=" << o.batch << " window=" << o.memory_window()
      << " skip-events=" << o.skip << " eval=" << o.evaluates << " weights-only=" << o.weights_only
      << " learning-rate=" << o.learning_rate << " epochs=" << o.epochs
      << " patience=" << o.patience << " steps=" << o.steps << " eval-batch=" << o.eval_batch
      << " seed=" << o.seed;
  return out.str();
}

}  // namespace frugal::tgn
