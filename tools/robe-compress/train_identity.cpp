#include "tools/robe-compress/train_identity.h"

#include <sstream>

#include "libcore/base/hash.h"
#include "libcore/io/tensor_file.h"

namespace frugal::robe {
namespace {

std::string list_text(const std::vector<std::size_t>& values) {
  std::string text;
  for (const std::size_t v : values) (text += text.empty() ? "" : ",") += std::to_string(v);
  return text;
}

void add_embedding(const TrainOptions& o, std::ostream& out) {
  const EmbeddingOptions& e = o.embedding;
  out << "method=" << e.method << " compression=" << e.compression << " bytes=" << e.bytes
      << " dim=" << o.dim << " hash=" << hash_family_name(e.hash.family)
      << " block=" << e.hash.block << " sign=" << e.hash.sign << " align=" << e.hash.aligned
      << " hash-seed=" << e.hash.seed << " copies=" << e.copies << " hot-share=";
  if (o.find_hot_share) {
    out << "auto";
  } else {
    out << e.hot_share;
  }
  out << " storage=" << storage_name(e.storage) << " init=" << e.init;
}

void add_network(const NetworkOptions& n, std::ostream& out) {
  out << " architecture=" << n.architecture << " bottom=" << list_text(n.bottom)
      << " top=" << list_text(n.top) << " diagonal=" << n.diagonal
      << " cross-layers=" << n.cross_layers << " cross-rank=" << n.cross_rank
      << " precision=" << static_cast<int>(n.precision);
}

void add_training(const TrainOptions& o, std::ostream& out) {
  out << " optimizer=" << o.optimizer << " learning-rate=" << o.learning_rate
      << " embedding-rate=" << o.embedding_rate << " schedule=" << o.schedule
      << " warm-up=" << o.warm_up << " batch-size=" << o.batch_size << " epochs=" << o.epochs
      << " patience=" << o.patience << " steps=" << o.steps << " stream=" << o.stream
      << " asynchronous=" << o.asynchronous << " shuffle=" << o.input.shuffle
      << " held-out=" << o.input.held_out << " validation=" << o.validation << " seed=" << o.seed;
}

/// What samples are, where they are read only as they are trained on.
void add_input(const ClickOptions& o, std::ostream& out) {
  out << " format=" << o.format << " header=" << o.header << " columns=" << o.columns
      << " label=" << o.label_column << " positive=" << o.positive << " ids=" << o.ids
      << " hash-rows=" << o.hash_rows << " rows=" << o.rows << " max-rows=" << o.max_rows
      << " lines=" << o.lines << " days=" << o.days;
}

}  // namespace

std::string training_text(const TrainOptions& options) {
  std::ostringstream out;
  out.precision(17);
  add_embedding(options, out);
  add_network(options.network, out);
  add_training(options, out);
  if (options.stream) add_input(options.input, out);
  return out.str();
}

std::string network_fingerprint(const Network& network) {
  Document document;
  network.save(document);
  std::uint64_t hash = 0;
  for (const Tensor& t : document.tensors) {
    hash = hash_bytes(t.content().data(), t.content().size(), hash);
  }
  return std::to_string(hash);
}

}  // namespace frugal::robe
