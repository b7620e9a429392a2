#include "tools/gnn-sample/typed/typed_inputs.h"

#include <numeric>

#include "libcore/base/hash.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "tools/gnn-sample/data/node_lookup.h"
#include "tools/gnn-sample/inputs/stored_rows.h"

namespace frugal::gnn {
namespace {

/// The first relation within the type, whose edges tell new nodes' neighbours; null without any.
const CsrView* edges_within(const TypedSchema& schema, const TypePlaces& places,
                            const StoredGraph& graph, std::size_t type) {
  for (std::size_t r = 0; r < schema.relations.size(); ++r) {
    const RelationType& relation = schema.relations[r];
    if (relation.source != type || relation.target != type) continue;
    return &graph.content().edges[places.edges[r]].csr;
  }
  return nullptr;
}

}  // namespace

TypedInputs::TypedInputs(const TypedModel& model, const StoredGraph& graph,
                         const TypePlaces& places, const EmbeddingSettings& settings,
                         const StoredEmbeddings* stored) {
  const TypedSchema& schema = model.schema();
  types_ = std::vector<Type>(schema.nodes.size());
  for (std::size_t t = 0; t < types_.size(); ++t) {
    if (!model.reads(t)) continue;
    Type& type = types_[t];
    type.nodes = &graph.content().nodes[places.nodes[t]];
    if (schema.nodes[t].features != 0) {
      type.rows = *type.nodes->features;
      check_finite(type.rows, graph.path() + ": nodes of type " + schema.nodes[t].name);
      continue;
    }
    has_embedding_ = true;
    type.prefix = kInputPrefix + schema.nodes[t].name + "/";
    type.store = FeatureStore(type.nodes->size, settings.size, false);
    if (stored != nullptr) {
      const StoredRows known(stored->document, stored->path, settings.size, type.prefix);
      const std::uint64_t unknown =
          known.write(*type.nodes, edges_within(schema, places, graph, t), type.store.dense());
      unknown_ += unknown;
      if (unknown > type.nodes->size / 2) {
        log_warning(graph.path(), ": ", stored->path, " has no trained embedding of ", unknown,
                    " of ", type.nodes->size, " nodes of type ", printable(schema.nodes[t].name),
                    ", which get the mean of others; expected the nodes that it was trained on, ",
                    "named as there");
      }
    } else {
      type.trained.emplace(type.store.dense(), hash_combine(settings.seed, t), type.prefix);
    }
    type.rows = type.store.view();
  }
}

std::vector<std::size_t> TypedInputs::columns(const TypedSchema& schema, std::size_t embedding) {
  std::vector<std::size_t> columns;
  for (const NodeType& type : schema.nodes) {
    columns.push_back(type.features == 0 ? embedding : type.features);
  }
  return columns;
}

std::size_t TypedInputs::num_parameters() const {
  std::size_t sum = 0;
  for (const Type& type : types_) sum += type.trained ? type.trained->num_parameters() : 0;
  return sum;
}

void TypedInputs::prepare_training(const OptimizerOptions& optimizer) {
  for (Type& type : types_) {
    if (type.trained) type.trained->prepare_training(optimizer);
  }
}

void TypedInputs::save(Document& document, bool with_names) const {
  for (const Type& type : types_) {
    if (!type.trained) continue;
    type.trained->save(document);
    if (!with_names) continue;
    std::vector<NodeId> all(type.nodes->size);
    std::iota(all.begin(), all.end(), NodeId{0});
    NodeIdentities(*type.nodes, type.prefix).add(all, document);
  }
}

void TypedInputs::load(const Document& document, const std::string& path) {
  for (Type& type : types_) {
    if (type.trained) type.trained->load(document, path);
  }
}

void TypedInputs::save_state(Document& document) const {
  for (const Type& type : types_) {
    if (type.trained) type.trained->save_state(document);
  }
}

void TypedInputs::load_state(const Document& document, const std::string& path) {
  for (Type& type : types_) {
    if (type.trained) type.trained->load_state(document, path);
  }
}

}  // namespace frugal::gnn
