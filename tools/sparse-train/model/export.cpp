#include "tools/sparse-train/model/export.h"

#include <algorithm>
#include <numeric>

#include "libcore/arrays/npy.h"
#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/system/output_file.h"
#include "tools/sparse-train/model/label_text.h"
#include "tools/sparse-train/model/model.h"
#include "tools/sparse-train/network/explain.h"
#include "tools/sparse-train/tree/explain.h"

namespace frugal::sparse {
namespace {

const Network& network_of(const Model& model, const std::string& path) {
  if (model.network) return *model.network;
  fail(ExitStatus::usage, path,
       ": has no network but label trees, whose weights are no embeddings: --label-features has "
       "those of each label");
}

void write_int8(const ExportOptions& options, const Document& original, Model model) {
  model.featurizer.shorten_hashes();
  Document document;
  document.metadata = original.metadata;
  save_model(std::move(model), document, StoredWeights::int8);
  append_history(document.metadata, options.history_entry);
  TensorWriteOptions write;
  write.pack = true;
  write_document(options.output, document, write);
}

void write_text(const std::string& path, const std::string& text) {
  OutputFile file(path, {.binary = false});
  file.write(text.data(), text.size());
  file.commit();
}

std::string lines_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) (text += as_field(name)) += '\n';
  return text;
}

std::string lines_of(const std::vector<std::string>& names, MatrixView<const float> rows) {
  std::string text;
  for (std::size_t r = 0; r < rows.rows; ++r) {
    text += as_field(names[r]);
    for (std::size_t c = 0; c < rows.cols; ++c) {
      (text += '\t') += format_number(static_cast<double>(rows(r, c)), 7);
    }
    text += '\n';
  }
  return text;
}

Tensor tensor_of(const std::string& name, MatrixView<const float> rows) {
  Tensor tensor = Tensor::make(name, Dtype::f32, {rows.rows, rows.cols});
  float* to = tensor.as<float>().data();
  for (std::size_t r = 0; r < rows.rows; ++r) to = std::copy_n(rows.row(r), rows.cols, to);
  return tensor;
}

void add_names(const std::vector<std::string>& names, Document& document) {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint64_t> ends;
  for (const std::string& name : names) {
    bytes.insert(bytes.end(), name.begin(), name.end());
    ends.push_back(bytes.size());
  }
  document.tensors.push_back(Tensor::copy_of<std::uint8_t>("names", {bytes.size()}, bytes));
  document.tensors.push_back(Tensor::copy_of<std::uint64_t>("name_ends", {ends.size()}, ends));
}

/// Names of features, or their numbers where the model does not know them.
std::vector<std::string> feature_names(const Featurizer& featurizer) {
  std::vector<std::string> names = featurizer.feature_names();
  names.resize(featurizer.num_features());
  for (std::size_t f = 0; f < names.size(); ++f) {
    if (names[f].empty()) names[f] = std::to_string(f);
  }
  return names;
}

/// Scores of all features at once, each with the value 1: by the trees, else by the network.
LabelShares shares_of_all(const Model& model, std::uint32_t label) {
  std::vector<std::uint32_t> features(model.featurizer.num_features());
  std::iota(features.begin(), features.end(), 0U);
  if (model.forest) return explain_margins(*model.forest, features, {}, label);
  const std::vector<float> ones(features.size(), 1.0F);
  return explain_logit(*model.network, {features, ones}, label);
}

/// The features that speak most for each label, a line each, best first.
void write_label_features(const ExportOptions& options, const Model& model) {
  const std::vector<std::string> names = feature_names(model.featurizer);
  OutputFile file(options.output, {.binary = false});
  std::vector<std::uint32_t> order(names.size());
  for (std::uint32_t l = 0; l < model.featurizer.num_labels(); ++l) {
    const std::vector<float> shares = shares_of_all(model, l).features;
    std::iota(order.begin(), order.end(), 0U);
    const auto end =
        order.begin() + static_cast<std::ptrdiff_t>(std::min(options.label_features, order.size()));
    std::partial_sort(order.begin(), end, order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return shares[a] != shares[b] ? shares[a] > shares[b] : a < b;
    });
    for (auto f = order.begin(); f != end && shares[*f] > 0; ++f) {
      const std::string line = as_field(model.featurizer.label_names()[l]) + '\t' +
                               as_field(names[*f]) + '\t' +
                               format_number(static_cast<double>(shares[*f]), 4) + '\n';
      file.write(line.data(), line.size());
    }
  }
  file.commit();
}

void write_embeddings(const ExportOptions& options, const Model& model) {
  const Network& network = network_of(model, options.model);
  const bool labels = options.embeddings == "labels";
  const MatrixView<const float> table =
      labels ? network.labels.weights() : network.features.weights();
  const MatrixView<const float> rows(table.data, table.rows, table.cols - (labels ? 1 : 0),
                                     table.stride);
  const std::vector<std::string> names =
      labels ? model.featurizer.label_names() : feature_names(model.featurizer);
  const std::string& path = options.output;
  if (path.ends_with(".npy")) return write_npy(path, tensor_of("", rows));
  if (path.ends_with(".txt") || path.ends_with(".tsv")) {
    return write_text(path, lines_of(names, rows));
  }
  Document document;
  document.metadata["frugal.history"] = "[" + options.history_entry + "]";
  document.tensors.push_back(tensor_of("weight", rows));
  if (labels) {
    document.tensors.push_back(
        tensor_of("bias", {table.data + rows.cols, table.rows, 1, table.stride}));
    document.tensors.back().shape = {table.rows};
  }
  add_names(names, document);
  write_document(path, document);
}

}  // namespace

void export_model(const ExportOptions& options) {
  if (options.int8 + options.label_names + !options.embeddings.empty() +
          (options.label_features > 0) !=
      1) {
    fail(ExitStatus::usage,
         "expected one of --int8, --embeddings, --label-names and --label-features");
  }
  const Document document = read_document(options.model);
  Model model = load_model(document, options.model);
  if (options.int8) return write_int8(options, document, std::move(model));
  if (options.label_names) {
    return write_text(options.output, lines_of(model.featurizer.label_names()));
  }
  if (options.label_features > 0) return write_label_features(options, model);
  write_embeddings(options, model);
}

}  // namespace frugal::sparse
