#include "tools/robe-compress/model/array_file.h"

#include <cassert>
#include <cstring>

#include "libcore/base/error.h"
#include "libcore/base/float16.h"
#include "libcore/base/text.h"
#include "libcore/embedding/embedding_methods.h"
#include "libcore/tensors/document_gate.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal::robe {

std::unique_ptr<Embedding> load_array(const std::string& path) {
  Document document = read_document(path);
  check_document(document, path,
                 {"an array or model of robe-compress", {"embedding", "model", "graph"}});
  std::unique_ptr<Embedding> embedding = load_embedding(document, path);
  expect_tables(embedding->tables(), path);
  return embedding;
}

void expect_tables(const TableSet& tables, const std::string& path) {
  if (tables.size() != 0) return;
  fail(ExitStatus::bad_input, path,
       ": a model of numbers alone, expected one with embedding tables");
}

std::size_t find_table(const TableSet& tables, const std::string& name, const std::string& path) {
  std::vector<std::string> names;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    if (tables.table(t).name == name) return t;
    names.push_back(tables.table(t).name);
  }
  fail(ExitStatus::usage, path, ": no table '", printable(name), "' among the ", tables.size(),
       did_you_mean(name, names));
}

Dtype row_dtype(const std::string& name) {
  if (name == "f32") return Dtype::f32;
  return name == "bf16" ? Dtype::bf16 : Dtype::f16;
}

void RowMaker::make(std::size_t table, std::span<const std::uint32_t> ids, Dtype dtype,
                    std::span<std::byte> to) {
  const std::size_t dim = embedding_.tables().dim(), size = ids.size() * dim;
  assert(to.size() == size * item_size(dtype));
  const bool in_place =
      dtype == Dtype::f32 && reinterpret_cast<std::uintptr_t>(to.data()) % alignof(float) == 0;
  if (!in_place) values_.resize(size);
  float* const values = in_place ? reinterpret_cast<float*>(to.data()) : values_.data();
  embedding_.lookup_table(table, ids.data(), ids.size(), {values, ids.size(), dim});
  if (in_place) return;
  std::byte* at = to.data();
  for (std::size_t i = 0; i < size; ++i, at += item_size(dtype)) {
    switch (dtype) {
      case Dtype::f32: std::memcpy(at, &values[i], sizeof(float)); break;
      case Dtype::bf16: {
        const BFloat16 rounded = to_bfloat16(values[i]);
        std::memcpy(at, &rounded, sizeof rounded);
        break;
      }
      default: {
        const Float16 rounded = to_float16(values[i]);
        std::memcpy(at, &rounded, sizeof rounded);
        break;
      }
    }
  }
}

}  // namespace frugal::robe
