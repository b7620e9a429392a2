#include "tools/tgn-train/memory/whole_memory.h"

#include <algorithm>
#include <vector>

#include "libcore/nn/state_tensors.h"

namespace frugal::tgn {
namespace {

/// Nodes whose records are sent in one message.
constexpr std::size_t kSent = 128 * MemoryShards::kPage;

}  // namespace

void WholeMemories::make_room(const std::string& tensor, const NodeMemory& mine) {
  whole_.erase(tensor);
  NodeMemoryShape shape = mine.shape();
  shape.nodes = shards_.nodes();
  whole_[tensor] = std::make_unique<NodeMemory>(shape, MemoryPlace{MemoryTier::disk, "", folder_});
}

void WholeMemories::gather(const std::string& tensor, const NodeMemory& mine) {
  Communicator& ranks = shards_.ranks();
  if (ranks.rank() == 0) make_room(tensor, mine);
  const std::size_t size = mine.record_bytes();
  std::vector<NodeId> nodes;
  std::vector<std::byte> records;
  for (int from = 0; from < ranks.size(); ++from) {
    const auto send = [&] {
      records.resize(nodes.size() * size);
      for (std::size_t i = 0; i < nodes.size() && from == ranks.rank(); ++i) {
        std::copy_n(mine.record(shards_.place(nodes[i])), size, records.data() + i * size);
      }
      if (from != 0) ranks.send(records, from, 0);
      for (std::size_t i = 0; i < nodes.size() && ranks.rank() == 0; ++i) {
        whole_[tensor]->write_record(nodes[i], records.data() + i * size);
      }
      nodes.clear();
    };
    shards_.each_page(from, [&](NodeId begin, NodeId end) {
      for (NodeId node = begin; node < end; ++node) nodes.push_back(node);
      if (nodes.size() >= kSent) send();
    });
    send();
  }
}

void WholeMemories::lend(Document& document) const {
  for (const auto& [name, memory] : whole_) {
    if (document.find(name) == nullptr) continue;
    Tensor& tensor = document.at(name);
    tensor.shape[0] = shards_.nodes();
    tensor.lent = memory->bytes();
  }
}

TensorPlaces WholeMemories::places() const {
  TensorPlaces places;
  for (const auto& [name, memory] : whole_) places[name] = memory->bytes();
  return places;
}

void WholeMemories::take_share(const std::string& tensor, Document& document,
                               const std::string& path, NodeMemory& mine) const {
  if (document.find(tensor) == nullptr) return;
  const Dtype dtype = mine.shape().dtype;
  const std::size_t size = mine.record_bytes(), numbers = size / item_size(dtype);
  const Tensor& whole = shaped_tensor(document, path, tensor, {shards_.nodes(), numbers}, dtype);
  const std::byte* const records = whole.content().data();
  shards_.each_page(shards_.ranks().rank(), [&](NodeId begin, NodeId end) {
    for (NodeId node = begin; node < end; ++node) {
      mine.write_record(shards_.place(node), records + node * size);
    }
  });
  Tensor& share = document.at(tensor);
  share = {tensor, dtype, {mine.shape().nodes, numbers}, {}, mine.bytes()};
}

}  // namespace frugal::tgn
