#include "tools/robe-compress/model/click_model.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/embedding/embedding_methods.h"
#include "libcore/tensors/document_gate.h"
#include "libcore/threading/parallel.h"

namespace frugal::robe {
namespace {

constexpr std::size_t kRowsAtATime = 128;  ///< of a batch: their activations stay in the caches
constexpr const char* kKind = "frugal.kind";

}  // namespace

TableSet tables_of(const ClickEncoder& encoder, std::size_t dim) {
  std::vector<TableShape> tables;
  for (std::size_t f = 0; f < encoder.num_fields(); ++f) {
    tables.push_back({encoder.field_name(f), encoder.field_rows(f), encoder.first_row(f)});
  }
  return {std::move(tables), dim};
}

RowCounts row_counts_of(const ClickEncoder& encoder) {
  RowCounts counts;
  for (std::size_t f = 0; f < encoder.num_fields(); ++f) {
    const auto found = encoder.counts(f);
    if (found.empty() || !encoder.gaps(f).empty()) return {};
    counts.emplace_back(found.begin(), found.end());
  }
  return counts;
}

void save_model(const ClickEncoder& encoder, const Embedding& embedding, const Network& network,
                Document& document) {
  document.metadata[kKind] = "model";
  document.metadata["frugal.tool"] = "robe-compress";
  encoder.save(document);
  embedding.save(document);
  network.save(document);
}

bool is_click_model(const Metadata& metadata) {
  const auto kind = metadata.find(kKind);
  return kind != metadata.end() && kind->second == "model" && metadata.contains("data.encoder");
}

namespace {

/// Only rows that samples use are read in an opened model, and checked then.
bool has_rows_by_use(std::string_view name) { return name.starts_with("embedding."); }

/// are_lent: the tensors of embeddings are views, whose numbers check_used() checks.
ClickModel load_parts(Document& document, const std::string& path, Precision precision,
                      bool are_lent) {
  check_document(document, path, {"a model of robe-compress train", {"model"}, "robe-compress"});
  for (const Tensor& tensor : document.tensors) {
    const bool by_use = !tensor.lent.empty() && has_rows_by_use(tensor.name);
    if (!are_lent || !by_use) check_finite(tensor, path);
  }
  ClickModel model{ClickEncoder::load(document, path),
                   load_embedding(document, path, are_lent ? Elements::lent : Elements::copied),
                   load_network(document, path, precision),
                   {}};
  if (const auto history = document.metadata.find("frugal.history");
      history != document.metadata.end()) {
    model.history = history->second;
  }
  const TableSet& found = model.embedding->tables();
  if (!same_tables(found, tables_of(model.encoder, found.dim()))) {
    fail(ExitStatus::bad_input, path, ": its tables are not those of its fields: damaged");
  }
  const NetworkShape& shape = model.network->shape();
  if (shape.num_numbers != model.encoder.num_numbers() ||
      shape.num_fields != model.encoder.num_fields() || shape.dim != found.dim()) {
    fail(ExitStatus::bad_input, path, ": its network is for ", shape.num_numbers, " numbers and ",
         shape.num_fields, " fields of ", shape.dim, ", its data have ",
         model.encoder.num_numbers(), " and ", model.encoder.num_fields(), " of ", found.dim());
  }
  return model;
}

}  // namespace

ClickModel load_model(const std::string& path, Precision precision) {
  Document document = read_document(path);
  return load_parts(document, path, precision, false);
}

ClickModel open_model(const std::string& path, Precision precision) {
  const auto source = std::make_shared<OpenDocument>(open_document(path));
  const bool is_mapped = source->mapping != nullptr;
  ClickModel model = load_parts(source->document, path, precision, is_mapped);
  if (!is_mapped) return model;
  for (const TensorInfo& info : source->mapping->info().tensors) {
    if (has_rows_by_use(info.name)) source->mapping->expect_random_reads(info);
  }
  model.source = source;
  return model;
}

void check_used(const ClickModel& model, const ClickBatch& batch, const std::string& path) {
  const TableSet& tables = model.embedding->tables();
  std::vector<float> used(batch.size * tables.size() * tables.dim());
  model.embedding->lookup(batch.rows_view(),
                          {used.data(), batch.size, tables.size() * tables.dim()});
  if (std::all_of(used.begin(), used.end(), [](float x) { return std::isfinite(x); })) return;
  check_finite(model.source->document, path);
}

/// Working memory of a thread.
struct ClickPredictor::Worker {
  std::vector<float> embeddings;
  std::unique_ptr<NetworkBatch> batch;
};

ClickPredictor::ClickPredictor(const Embedding& embedding, const Network& network)
    : embedding_(embedding), network_(network) {}

ClickPredictor::~ClickPredictor() = default;

std::span<const float> ClickPredictor::logits(const ClickBatch& batch) {
  const std::size_t width = embedding_.tables().size() * embedding_.tables().dim();
  logits_.resize(batch.size);
  workers_.resize(std::max<std::size_t>(workers_.size(), static_cast<std::size_t>(num_threads())));
  const std::size_t pieces = (batch.size + kRowsAtATime - 1) / kRowsAtATime;
  parallel_ranges(pieces, [&](std::size_t first, std::size_t last, int thread) {
    std::unique_ptr<Worker>& worker = workers_[static_cast<std::size_t>(thread)];
    if (!worker) {
      worker = std::make_unique<Worker>();
      worker->embeddings.resize(kRowsAtATime * width);
      worker->batch = network_.make_batch(kRowsAtATime, /*training=*/false);
    }
    for (std::size_t p = first; p < last; ++p) {
      const std::size_t begin = p * kRowsAtATime;
      const std::size_t n = std::min(kRowsAtATime, batch.size - begin);
      const MatrixView<float> embeddings(worker->embeddings.data(), n, width);
      embedding_.lookup(batch.rows_view().rows_between(begin, begin + n), embeddings);
      const NetworkInput input{batch.numbers_view().rows_between(begin, begin + n), embeddings, 0,
                               n};
      network_.forward(input, *worker->batch, std::span(logits_).subspan(begin, n));
    }
  });
  return logits_;
}

}  // namespace frugal::robe
