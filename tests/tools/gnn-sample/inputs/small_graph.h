#pragma once
#include <string>
#include <vector>

#include "libcore/tensors/tensor_file.h"
#include "tests/support/text_file.h"
#include "tools/gnn-sample/data/stored_graph.h"

namespace frugal::gnn {

/// In-edges 0: 1, 2; 1: 0; 2: 2 (to itself); 3: 0, 1, 2, without features.
inline Document small_bare_graph() {
  Document document;
  document.metadata = {{"frugal.kind", "graph"},
                       {"graph.nodes", "4"},
                       {"graph.edges", "7"},
                       {"graph.directed", "true"}};
  document.tensors.push_back(
      Tensor::copy_of<std::uint64_t>("offsets", {5}, std::vector<std::uint64_t>{0, 2, 3, 4, 7}));
  document.tensors.push_back(Tensor::copy_of<std::uint32_t>(
      "neighbors", {7}, std::vector<std::uint32_t>{1, 2, 0, 2, 0, 1, 2}));
  return document;
}

/// Calls them by these names.
inline void add_names(Document& document, const std::vector<std::string>& names) {
  std::vector<std::uint64_t> offsets = {0};
  std::string all;
  for (const std::string& name : names) {
    all += name;
    offsets.push_back(all.size());
  }
  document.tensors.push_back(
      Tensor::copy_of<std::uint64_t>("names.offsets", {offsets.size()}, offsets));
  document.tensors.push_back(Tensor::copy_of<std::uint8_t>(
      "names", {all.size()}, std::vector<std::uint8_t>(all.begin(), all.end())));
}

/// A graph file that is there while the object is.
class StoredDocument {
 public:
  explicit StoredDocument(const Document& document) : file_("", ".safetensors") {
    write_document(file_.path(), document);
  }
  StoredGraph open() const { return StoredGraph(file_.path()); }

 private:
  TextFile file_;
};

/// All numbers of dense f32 rows.
inline std::vector<float> numbers_of(const FeatureView& view) {
  const auto* const from = reinterpret_cast<const float*>(view.data);
  return {from, from + view.rows * view.dim};
}

}  // namespace frugal::gnn
