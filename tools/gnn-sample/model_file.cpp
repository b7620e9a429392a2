#include "tools/gnn-sample/model_file.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/io/document_gate.h"
#include "libcore/io/metadata_reader.h"

namespace frugal::gnn {
namespace {

constexpr std::uint64_t kMaxSize = 1 << 20;

GnnOptions load_options(const MetadataReader& read, const std::string& path) {
  GnnOptions o;
  try {
    o.kind = gnn_kind_from_name(read.text("gnn.model"));
    o.aggregate = sage_aggregate_from_name(read.text("gnn.aggregate"));
    o.activation = activation_from_name(read.text("gnn.activation"));
  } catch (const Error& error) {
    fail(ExitStatus::bad_input, path, ": ", error.what());
  }
  o.num_layers = read.number("gnn.layers", 1, 64);
  o.hidden = read.number("gnn.hidden", 1, kMaxSize);
  o.heads = read.number("gnn.heads", 1, 1024);
  o.output_heads = read.number("gnn.output_heads", 1, 1024);
  o.head_layers = read.number("gnn.head_layers", 0, 64);
  o.dropout = static_cast<float>(read.finite("gnn.dropout", 0, 1));
  o.input_dropout = static_cast<float>(read.finite("gnn.input_dropout", 0, 1));
  o.attention_dropout = static_cast<float>(read.finite("gnn.attention_dropout", 0, 1));
  o.batch_norm = read.flag("gnn.batch_norm");
  o.bias = read.flag("gnn.bias");
  o.train_epsilon = read.flag("gnn.train_epsilon");
  return o;
}

/// Parameters are finite, variances not negative. Returns how many numbers there are.
std::uint64_t check_parameters(const Document& document, const std::string& path) {
  std::uint64_t count = 0;
  for (const Tensor& tensor : document.tensors) {
    if (tensor.dtype != Dtype::f32) continue;
    const bool variance = tensor.name.ends_with(".running_var");
    for (const float x : tensor.as<float>()) {
      if (std::isfinite(x) && (!variance || x >= 0)) continue;
      fail(ExitStatus::bad_input, path, ": tensor '", printable(tensor.name), "' has a ", x,
           variance ? ", expected finite numbers, not negative" : ", expected finite numbers");
    }
    count += tensor.as<float>().size();
  }
  return count;
}

/// Before a network is made that damaged numbers would make larger than memory.
void check_size(const GnnOptions& o, std::uint64_t features, std::uint64_t outputs,
                std::uint64_t parameters, const std::string& path) {
  const std::uint64_t width = o.hidden * (o.kind == GnnKind::gat ? o.heads : 1);
  const bool one = o.num_layers == 1 && o.head_layers == 0 && o.kind != GnnKind::sage_ri;
  const std::uint64_t least = one ? features * outputs
                                  : std::max({features * width, o.hidden * outputs,
                                              o.num_layers > 2 ? o.hidden * width : 0});
  if (least <= parameters) return;
  fail(ExitStatus::bad_input, path, ": a network of ", features, " features, ", o.hidden,
       " hidden units and ", outputs, " outputs has more than the ", parameters,
       " numbers that are in the file");
}

}  // namespace

void save_model(StoredModel& stored, Document& document) {
  const GnnOptions& o = stored.model->options();
  Metadata& m = document.metadata;
  const auto flag = [](bool value) { return std::string(value ? "true" : "false"); };
  m["frugal.kind"] = "model";
  m["frugal.tool"] = "gnn-sample";
  m["gnn.model"] = gnn_kind_name(o.kind);
  m["gnn.aggregate"] = sage_aggregate_name(o.aggregate);
  m["gnn.activation"] = activation_name(o.activation);
  m["gnn.layers"] = std::to_string(o.num_layers);
  m["gnn.hidden"] = std::to_string(o.hidden);
  m["gnn.heads"] = std::to_string(o.heads);
  m["gnn.output_heads"] = std::to_string(o.output_heads);
  m["gnn.head_layers"] = std::to_string(o.head_layers);
  m["gnn.dropout"] = format_number(o.dropout);
  m["gnn.input_dropout"] = format_number(o.input_dropout);
  m["gnn.attention_dropout"] = format_number(o.attention_dropout);
  m["gnn.batch_norm"] = flag(o.batch_norm);
  m["gnn.bias"] = flag(o.bias);
  m["gnn.train_epsilon"] = flag(o.train_epsilon);
  m["gnn.features"] = std::to_string(stored.model->num_features());
  m["gnn.outputs"] = std::to_string(stored.model->num_outputs());
  m["gnn.fanouts"] = stored.fanouts;
  m["gnn.task"] = stored.task;
  m["gnn.several_labels"] = flag(stored.several_labels);
  stored.model->save(document);
}

StoredModel load_model(const Document& document, const std::string& path, Precision precision) {
  check_document(document, path, {"a model of gnn-sample train", {"model"}, "gnn-sample"});
  const MetadataReader read(document, path);
  StoredModel stored;
  stored.fanouts = read.text("gnn.fanouts");
  stored.task = read.text("gnn.task");
  if (stored.task != "nodes" && stored.task != "links") {
    fail(ExitStatus::bad_input, path, ": gnn.task is '", printable(stored.task),
         "', expected nodes or links");
  }
  stored.several_labels = read.flag("gnn.several_labels");
  GnnOptions options = load_options(read, path);
  options.precision = precision;
  const std::uint64_t features = read.number("gnn.features", 1, kMaxSize);
  const std::uint64_t outputs = read.number("gnn.outputs", 1, kMaxSize);
  check_size(options, features, outputs, check_parameters(document, path), path);
  stored.model = std::make_unique<GnnModel>(options, features, outputs);
  stored.model->load(document, path);
  return stored;
}

}  // namespace frugal::gnn
