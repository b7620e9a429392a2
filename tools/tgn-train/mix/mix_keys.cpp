#include "tools/tgn-train/mix/mix_keys.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/nn/state_tensors.h"

namespace frugal::tgn {
namespace {

constexpr char kTypedPrefix[] = "typed.", kTypedRoles[] = "typed.roles";

}  // namespace

MixKeys::MixKeys(double time_unit, bool typed, std::size_t num_nodes)
    : keys_(time_unit, num_nodes) {
  if (typed) typed_.emplace(Typed{{}, LinkKeys(time_unit, 1)});
}

void MixKeys::add(const MixEvent& event) {
  keys_.add(event.source, event.destination, event.time);
  if (!typed_) return;
  const NodeId source = typed_->nodes.add_source(event.source);
  const NodeId destination = typed_->nodes.add_destination(event.destination, event.type);
  typed_->keys.grow(typed_->nodes.size());
  typed_->keys.add(source, destination, event.time);
}

void MixKeys::find_typed(const MixEvent& asked, std::span<const NodeId> candidates) {
  typed_nodes_.clear();
  for (const NodeId node : candidates) {
    typed_nodes_.push_back(typed_->nodes.destination(node, asked.type));
  }
}

void MixKeys::keys(const MixEvent& asked, std::span<const NodeId> candidates,
                   std::vector<float>& keys) {
  if (!typed_) return keys_.keys(asked.source, candidates, asked.time, keys);
  keys_.keys(asked.source, candidates, asked.time, plain_rows_);
  find_typed(asked, candidates);
  typed_->keys.keys(typed_->nodes.source(asked.source), typed_nodes_, asked.time, typed_rows_);
  keys.resize(candidates.size() * width());
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    float* const to = keys.data() + c * width();
    std::copy_n(plain_rows_.data() + c * kNumLinkKeys, kNumLinkKeys, to);
    std::copy_n(typed_rows_.data() + c * kNumLinkKeys, kNumLinkKeys, to + kNumLinkKeys);
  }
}

void MixKeys::likely(const MixEvent& asked, std::vector<NodeId>& nodes) {
  keys_.likely(asked.source, asked.time, nodes);
  if (!typed_) return;
  const std::span<const NodeId> of_type = typed_->nodes.destinations(asked.type);
  typed_->keys.likely(typed_->nodes.source(asked.source), asked.time, typed_nodes_, &of_type);
  for (const NodeId number : typed_nodes_) nodes.push_back(typed_->nodes.node(number));
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

Shortlist MixKeys::shortlist(const KeyMix& mix, const MixEvent& asked,
                             std::span<const NodeId> candidates, std::size_t count) {
  std::vector<Candidates> blocks = {{&keys_, asked.source, asked.time, candidates}};
  if (typed_) {
    find_typed(asked, candidates);
    blocks.push_back({&typed_->keys, typed_->nodes.source(asked.source), asked.time, typed_nodes_});
  }
  return order_.shortlist(mix, blocks, count);
}

void MixKeys::save(Document& document, std::size_t num_nodes) {
  keys_.save(document, num_nodes);
  if (!typed_) return;
  const std::size_t before = document.tensors.size();
  typed_->keys.save(document, typed_->nodes.size());
  for (std::size_t i = before; i < document.tensors.size(); ++i) {
    document.tensors[i].name = kTypedPrefix + document.tensors[i].name;
  }
  const auto roles = typed_->nodes.roles();
  document.tensors.push_back(Tensor::copy_of<std::uint64_t>(kTypedRoles, {roles.size()}, roles));
}

void MixKeys::load(const Document& document, const std::string& path, std::size_t num_nodes) {
  keys_.load(document, path, num_nodes);
  if (!typed_) return;
  const Tensor* const tensor = document.find(kTypedRoles);
  const std::uint64_t size = tensor == nullptr || tensor->shape.empty() ? 0 : tensor->shape[0];
  const auto roles =
      shaped_tensor(document, path, kTypedRoles, {size}, Dtype::u64).as<std::uint64_t>();
  if (!typed_->nodes.restore(roles, num_nodes)) {
    fail(ExitStatus::bad_input, path, ": tensor '", kTypedRoles,
         "' has a role twice, or a node that the stream does not have");
  }
  Document within;
  for (const Tensor& one : document.tensors) {
    if (!one.name.starts_with(kTypedPrefix)) continue;
    within.tensors.push_back(
        {one.name.substr(sizeof kTypedPrefix - 1), one.dtype, one.shape, {}, one.content()});
  }
  typed_->keys.load(within, path, typed_->nodes.size());
}

}  // namespace frugal::tgn
