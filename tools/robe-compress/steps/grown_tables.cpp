#include "tools/robe-compress/steps/grown_tables.h"

#include <algorithm>
#include <cassert>
#include <span>
#include <utility>

#include "libcore/embedding/block_embedding.h"
#include "libcore/embedding/full_embedding.h"

namespace frugal::robe {
namespace {

std::unique_ptr<Embedding> grow_full(FullEmbedding& from, const TableSet& tables) {
  const Storage storage = from.array().final_storage();
  from.array().store_as(Storage::f32);
  auto grown = std::make_unique<FullEmbedding>(tables);
  const std::span<const float> old = std::as_const(from).array().values();
  const std::span<float> numbers = grown->array().values();
  std::copy(old.begin(), old.end(), numbers.begin());
  const std::size_t dim = tables.dim();
  const std::uint64_t num_old = from.tables().num_rows();
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const std::uint64_t first = tables.first_row(t), end = first + tables.table(t).rows;
    const std::uint64_t old_end = first + from.tables().table(t).rows;
    for (std::uint64_t row = std::max(num_old, old_end); row < end; ++row) {
      std::copy_n(&old[first * dim], dim, &numbers[row * dim]);
    }
  }
  grown->array().train_for(storage);
  return grown;
}

std::unique_ptr<Embedding> grow_blocks(BlockEmbedding& from, const TableSet& tables) {
  auto grown = std::make_unique<BlockEmbedding>(tables, from.take_settings(), from.num_hashed());
  grown->array() = std::move(from.array());
  return grown;
}

}  // namespace

bool can_grow(const Embedding& embedding) {
  return dynamic_cast<const FullEmbedding*>(&embedding) != nullptr ||
         dynamic_cast<const BlockEmbedding*>(&embedding) != nullptr;
}

std::unique_ptr<Embedding> grow_tables(std::unique_ptr<Embedding> embedding,
                                       const TableSet& tables) {
  assert(can_grow(*embedding));
  if (auto* full = dynamic_cast<FullEmbedding*>(embedding.get())) return grow_full(*full, tables);
  return grow_blocks(dynamic_cast<BlockEmbedding&>(*embedding), tables);
}

}  // namespace frugal::robe
