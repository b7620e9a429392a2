#include "libcore/embedding/embedding_engine.h"

#include <numeric>
#include <string>

#include "libcore/base/error.h"
#include "libcore/embedding/array_embedding.h"
#include "libcore/embedding/block_embedding.h"
#include "libcore/embedding/full_embedding.h"
#include "libcore/embedding/line_sums.h"
#include "libcore/embedding/parameter_array.h"

namespace frugal {
namespace {

template <class T>
EngineArray array_of(const char* name, frugal_type type, const std::vector<T>& values) {
  return {name, type, {values.size()}, const_cast<T*>(values.data())};
}

/// The most lines of an array that `length` numbers lie in, which begin at a multiple of `unit`.
std::size_t most_lines(std::size_t length, std::uint64_t unit) {
  return (LineSums::kLine - std::gcd(unit, LineSums::kLine) + length - 1) / LineSums::kLine + 1;
}

frugal_type engine_type(Dtype type) {
  switch (type) {
    case Dtype::f32: return FRUGAL_F32;
    case Dtype::bf16: return FRUGAL_BF16;
    case Dtype::i8: return FRUGAL_I8;
    default: return FRUGAL_U8;
  }
}

}  // namespace

EngineEmbedding::EngineEmbedding(Embedding& embedding, bool training)
    : embedding_(embedding), training_(training) {
  const TableSet& tables = embedding.tables();
  const auto* numbers = dynamic_cast<const ArrayEmbedding*>(&embedding);
  const auto* blocks = dynamic_cast<const BlockEmbedding*>(&embedding);
  const bool whole = dynamic_cast<const FullEmbedding*>(&embedding) != nullptr;
  if (numbers == nullptr || (blocks == nullptr && !whole)) {
    fail(ExitStatus::unavailable, "embeddings of --method ", embedding.method(),
         " have no engine for devices, expected --device cpu");
  }
  settings_ = {{"fields", std::to_string(tables.size())},
               {"dim", std::to_string(tables.dim())},
               {"size", std::to_string(numbers->array().size())},
               {"storage", std::string(storage_name(numbers->array().storage()))},
               {"train_for", std::string(storage_name(numbers->array().final_storage()))},
               {"update", numbers->array().optimizer().sums_blocks ? "summed" : "each"}};
  first_row_.assign(tables.first_rows(), tables.first_rows() + tables.size());
  blocks != nullptr ? describe(*blocks) : describe_tables();
}

void EngineEmbedding::describe(const BlockEmbedding& blocks) {
  const HotRows& hot = blocks.settings().hot;
  const BlockHash& hash = blocks.hash();
  const std::uint64_t hashed = blocks.num_hashed();
  std::uint64_t unit = hash.options().aligned ? hash.block() : 1;
  if (hot.size() != 0) unit = std::gcd(unit, std::gcd(hashed, blocks.tables().dim()));
  // A block that goes on at the array's beginning can lie in one line more.
  const std::size_t more = hash.is_circular() && hashed % LineSums::kLine != 0 ? 1 : 0;
  settings_.insert(settings_.end(),
                   {{"block", std::to_string(hash.block())},
                    {"block_lines", std::to_string(most_lines(hash.block(), unit) + more)},
                    {"copies", std::to_string(blocks.settings().copies)},
                    {"hashed", std::to_string(hashed)},
                    {"hot_rows", std::to_string(hot.size())}});
  for (std::size_t copy = 0; copy < blocks.settings().copies; ++copy) {
    const auto numbers = blocks.hash(copy).numbers();
    hash_.insert(hash_.end(), numbers.begin(), numbers.end());
  }
  hot_runs_ = hot.runs();
  for (const auto& [key, number] : hot.keys()) {
    hot_keys_.push_back(key);
    hot_numbers_.push_back(number);
  }
  settings_.emplace_back("hot_runs", hot_keys_.empty() ? "1" : "0");
}

void EngineEmbedding::describe_tables() {
  const TableSet& tables = embedding_.tables();
  settings_.emplace_back("block", std::to_string(tables.dim()));
  settings_.emplace_back("block_lines", std::to_string(most_lines(tables.dim(), tables.dim())));
  settings_.emplace_back("copies", "1");
  settings_.emplace_back("hashed", std::to_string(tables.num_values()));
  settings_.emplace_back("hot_rows", "0");
  hash_.assign(14, 0);
  hash_[0] = 4;  // whole tables, which the plug-in numbers behind the hash families
}

/// Arrays that training changes: numbers, the optimiser's state, and scales for int4.
std::vector<EngineArray> EngineEmbedding::trained() const {
  ParameterArray& array = static_cast<ArrayEmbedding&>(embedding_).array();
  const std::uint64_t size = array.size();
  std::vector<EngineArray> all{{"embedding.array", FRUGAL_F32, {size}, array.values().data()}};
  const auto add_state = [&](const char* name, void* state) {
    if (state != nullptr) all.push_back({name, FRUGAL_F32, {size}, state});
  };
  add_state("embedding.state.first", array.first_state());
  add_state("embedding.state.second", array.second_state());
  if (array.needs_scales()) {
    const std::span<BFloat16> scales = array.training_scales();
    all.push_back({"embedding.state.scales", FRUGAL_BF16, {scales.size()}, scales.data()});
  }
  return all;
}

std::vector<EngineArray> EngineEmbedding::arrays() const {
  std::vector<EngineArray> all;
  if (training_) {
    all = trained();
  } else {
    Document document;
    static_cast<const ArrayEmbedding&>(embedding_).array().save("embedding.array", document);
    for (const Tensor& tensor : document.tensors) {
      all.push_back({tensor.name,
                     engine_type(tensor.dtype),
                     {tensor.shape[0]},
                     const_cast<std::byte*>(tensor.content().data())});
    }
  }
  all.push_back(array_of("embedding.first_row", FRUGAL_U64, first_row_));
  all.push_back(array_of("embedding.hash", FRUGAL_U64, hash_));
  const auto* blocks = dynamic_cast<const BlockEmbedding*>(&embedding_);
  if (blocks == nullptr || blocks->settings().hot.size() == 0) return all;
  if (hot_keys_.empty()) {
    all.push_back(array_of("embedding.hot.runs", FRUGAL_U32, hot_runs_));
  } else {
    all.push_back(array_of("embedding.hot.keys", FRUGAL_U64, hot_keys_));
    all.push_back(array_of("embedding.hot.numbers", FRUGAL_U32, hot_numbers_));
  }
  return all;
}

void EngineEmbedding::set(DeviceEngine& engine) const { engine.set(arrays()); }

void EngineEmbedding::get(DeviceEngine& engine) { engine.get(trained()); }

}  // namespace frugal
