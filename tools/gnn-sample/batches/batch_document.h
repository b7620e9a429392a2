#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/gnn-sample/batches/batch_features.h"
#include "tools/gnn-sample/batches/document_arena.h"
#include "tools/gnn-sample/batches/link_batches.h"
#include "tools/gnn-sample/data/node_lookup.h"
#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/sampler/mini_batch.h"
#include "tools/gnn-sample/sampler/neighbor_sampler.h"

namespace frugal::gnn {

/// How a document lists the edges of a hop. csr: offsets and neighbours of each target. coo:
/// sources and targets, as PyG's edge_index.
enum class BatchLayout { csr, coo };
inline constexpr std::array<std::string_view, 2> kBatchLayoutNames = {"csr", "coo"};

struct BatchDocumentOptions {
  BatchLayout layout = BatchLayout::csr;
  Semantics semantics = Semantics::mfg;
  bool features = true;    ///< of all nodes, where the graph has some
  bool dense = false;      ///< with the zeros of sparse features
  bool identities = true;  ///< what the owner calls all nodes, where that is not their number
  bool labels = true;      ///< of the seeds, where the graph has some
  bool wide_ids = false;   ///< I64 instead of I32: what PyTorch's indexing wants without a copy
  /// Numbers, in the content of the graph, of the types of edges that mini-batches have.
  std::vector<std::size_t> edge_types = {0};
};

/// Turns mini-batches into documents of the exchange format (gnn-sample(1), "Mini-batches"). Those
/// of graphs of several types have the same names behind the prefixes of the graph file.
class BatchDocuments {
 public:
  /// Borrows the graph.
  BatchDocuments(const StoredGraph& graph, const BatchDocumentOptions& options);

  /// Makes the document of the arena, which is empty. `links`: what the mini-batch was sampled for,
  /// where its seeds are ends of links, or null.
  void make(const MiniBatch& batch, const LinkBatch* links, DocumentArena& to) const;

 private:
  void add_metadata(const MiniBatch& batch, Document& document) const;
  void add_edges(const MiniBatch& batch, std::size_t edge_type, std::size_t hop,
                 DocumentArena& to) const;
  void add_edge_ids(const EdgeSet& edges, const Block& block, const std::string& name,
                    DocumentArena& to) const;
  void add_features(const MiniBatch& batch, DocumentArena& to) const;
  void add_roots(const MiniBatch& batch, DocumentArena& to) const;
  void add_links(const MiniBatch& batch, const LinkBatch& links, DocumentArena& to) const;
  void add_seed_data(const MiniBatch& batch, DocumentArena& to) const;
  Tensor& add_ids(std::string name, Shape shape, DocumentArena& to) const;
  void fill_ids(std::span<const std::uint32_t> from, std::uint32_t shift, std::size_t at,
                Tensor& to) const;

  const StoredGraph& graph_;
  BatchDocumentOptions options_;
  std::vector<std::optional<BatchFeatures>> features_;  ///< of the nodes of each type
  std::vector<NodeIdentities> identities_;              ///< the same
  std::vector<std::string> node_prefixes_;
};

}  // namespace frugal::gnn
