#include "tools/robe-compress/train_memory.h"

#include "libcore/base/text.h"
#include "libcore/embedding/parameter_array.h"
#include "libcore/nn/optimizer_rules.h"
#include "libcore/system/limits.h"

namespace frugal::robe {
namespace {

std::uint64_t num_embedding_numbers(const EmbeddingOptions& options, const TableSet& tables) {
  if (find_method(options.method).has_one_size()) return tables.num_values();
  return numbers_in(options.storage, byte_budget(tables, options));
}

std::uint64_t num_network_numbers(const NetworkOptions& options, const NetworkShape& shape) {
  std::uint64_t sum = 0;
  for (const NamedShape& layer : network_layers(options, shape)) {
    sum += layer.shape.num_parameters();
  }
  return sum;
}

}  // namespace

void check_training_memory(const TrainOptions& options, const TableSet& tables,
                           const NetworkShape& shape) {
  const std::uint64_t embeddings = num_embedding_numbers(options.embedding, tables);
  const std::uint64_t network = num_network_numbers(options.network, shape);
  const std::uint64_t states = optimizer_rule(optimizer_from_name(options.optimizer)).num_states;
  // The weights of the network are there a second time, packed for the backward products.
  const std::uint64_t numbers = (1 + states) * embeddings + (2 + states) * network;
  check_memory("training " + format_bytes(embeddings * sizeof(float)) + " of embeddings and " +
                   format_bytes(network * sizeof(float)) + " of network with " + options.optimizer,
               numbers * sizeof(float));
}

}  // namespace frugal::robe
