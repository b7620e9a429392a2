#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/streams/json_text.h"
#include "libcore/streams/strict_json.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/sparse-train/text/featurizer.h"
#include "tools/sparse-train/text/featurizer_state.h"
#include "tools/sparse-train/text/short_hashes.h"

// How a featurizer is stored in a model document: metadata "frugal.features" (options and layout of
// the input as JSON), tensors "features.hashes" (U64, by feature id), "features.idf" (F32),
// "labels.names" (U8, the names one behind the other) and "labels.name_ends" (U64, where each
// ends); labels that are numbered have no names. "features.steps.I" (F64) are the edges of the I-th
// column of numbers, in earlier versions "features.bins.I" (F64 or F32); "features.names" and
// "features.name_ends" are there if they were asked for. Where hashes are short,
// "features.short_hashes" (U8) has them, "hash_bits" of each, instead. The JSON of a large layout,
// of thousands of columns, is the tensor "features.layout" (U8): metadata is limited.

namespace frugal::sparse {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kKey = "frugal.features";
constexpr const char* kHashes = "features.hashes";
constexpr const char* kShortHashes = "features.short_hashes";
constexpr const char* kLayout = "features.layout";
/// Bytes of JSON from which on a layout is a tensor.
constexpr std::size_t kLargeLayout = std::size_t{512} << 10;

Json to_json(const FeatureOptions& o) {
  return {{"format", o.format},
          {"columns", o.columns},
          {"text_columns", o.text_columns},
          {"label_column", o.label_column},
          {"label_separator", o.label_separator},
          {"header", o.header},
          {"separator", o.separator},
          {"label_prefix", o.label_prefix},
          {"tokenizer", o.tokenizer},
          {"word_ngrams", o.word_ngrams},
          {"text_start", o.text_start},
          {"char_ngrams", o.char_ngrams},
          {"lower_case", o.lower_case},
          {"normal_form", o.normal_form},
          {"fold_utf8", o.fold_utf8},
          {"encoding", o.encoding},
          {"min_count", o.min_count},
          {"max_features", o.max_features},
          {"weighting", o.weighting}};
}

FeatureOptions options_from(const Json& j) {
  FeatureOptions o;
  j.at("format").get_to(o.format);
  j.at("text_columns").get_to(o.text_columns);
  j.at("label_column").get_to(o.label_column);
  j.at("label_separator").get_to(o.label_separator);
  j.at("header").get_to(o.header);
  j.at("label_prefix").get_to(o.label_prefix);
  j.at("tokenizer").get_to(o.tokenizer);
  o.word_ngrams = whole_number<int>(j, "word_ngrams");
  j.at("lower_case").get_to(o.lower_case);
  o.columns = j.value("columns", "");
  o.separator = j.value("separator", "auto");
  o.text_start = j.value("text_start", false);
  o.char_ngrams = j.value("char_ngrams", "");
  o.normal_form = j.value("normal_form", "");
  o.fold_utf8 = j.value("fold_utf8", false);  // absent: the model is older
  o.encoding = j.value("encoding", "bytes");
  o.min_count = whole_number<int>(j, "min_count");
  o.max_features = whole_number<std::uint32_t>(j, "max_features");
  j.at("weighting").get_to(o.weighting);
  return o;
}

Json to_json(const InputColumn& c) {
  Json j = {{"index", c.index},
            {"type", column_types().name(c.type)},
            {"name", c.name},
            {"separator", c.separator},
            {"has_ids", c.has_ids}};
  if (c.joins_booleans) j["joins_booleans"] = true;
  return j;
}

Json to_json(const InputLayout& l) {
  Json columns = Json::array();
  for (const InputColumn& column : l.columns) columns.push_back(to_json(column));
  return {{"format", l.format->name},
          {"has_header", l.has_header},
          {"header", l.header},
          {"num_columns", l.num_columns},
          {"label_column", l.label_column},
          {"label_is_number", l.label_is_number},
          {"separator", std::string(1, l.style.separator)},
          {"quotes", l.style.quotes},
          {"label_separator", l.label_separator},
          {"columns", columns}};
}

InputColumn column_from(const Json& j, std::size_t number) {
  InputColumn c;
  c.index = whole_number<std::size_t>(j, "index");
  c.type = column_types().by_name(j.at("type").get<std::string>());
  j.at("name").get_to(c.name);
  j.at("separator").get_to(c.separator);
  c.salt = column_salt(c.name);
  c.number = number;
  c.has_ids = j.value("has_ids", false);
  c.joins_booleans = j.value("joins_booleans", false);
  return c;
}

/// Models of the first version had columns of text only, and one separator for all formats.
void read_columns(const Json& j, const FeatureOptions& options, InputLayout& l) {
  if (j.contains("columns")) {
    for (const Json& column : j.at("columns")) {
      l.columns.push_back(column_from(column, l.num_number_columns()));
    }
    j.at("label_separator").get_to(l.label_separator);
    return;
  }
  for (const std::size_t index : j.at("text_columns").get<std::vector<std::size_t>>()) {
    l.columns.push_back({index, ColumnType::text, std::to_string(index + 1), "", 0, 0});
  }
  l.label_separator = l.format->columns ? options.label_separator : l.format->label_separator;
}

InputLayout layout_from(const Json& j, const FeatureOptions& options) {
  InputLayout l;
  const auto format = j.at("format").get<std::string>();
  l.format = example_formats().find(format);
  if (l.format == nullptr) {
    fail(ExitStatus::bad_input, "model: format '", printable(format), "' is not known");
  }
  // Earlier versions had no separators but those of the formats.
  const auto separator = j.value("separator", std::string(1, l.format->style.separator));
  if (separator.size() != 1) {
    fail(ExitStatus::bad_input, "model: separator '", printable(separator),
         "', expected one character");
  }
  l.style.separator = separator[0];
  l.style.quotes = j.value("quotes", l.format->style.quotes);
  l.label_is_number = j.value("label_is_number", false);
  j.at("has_header").get_to(l.has_header);
  j.at("header").get_to(l.header);
  l.num_columns = whole_number<std::size_t>(j, "num_columns");
  l.label_column = whole_number<std::size_t>(j, "label_column");
  read_columns(j, options, l);
  l.allow_any_id();
  for (const InputColumn& column : l.columns) {
    if (column.index >= l.num_columns || l.label_column >= l.num_columns) {
      fail(ExitStatus::bad_input, "model: column ", column.index,
           " is out of range, expected one of ", l.num_columns);
    }
  }
  return l;
}

Json parse_metadata(const Document& model) {
  const auto found = model.metadata.find(kKey);
  if (found == model.metadata.end()) {
    fail(ExitStatus::bad_input, "model has no metadata '", kKey,
         "', expected a model written by sparse-train");
  }
  return parse_json<Json>(found->second, "model: metadata '" + std::string(kKey) + "': ");
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

Tensor tensor_of(const std::string& name, const std::string& text) {
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  return Tensor::copy_of<std::uint8_t>(name, {bytes.size()}, bytes);
}

void save_names(const std::string& names_tensor, const std::string& ends_tensor,
                const std::vector<std::string>& names, Document& model) {
  std::string text;
  std::vector<std::uint64_t> ends;
  for (const std::string& name : names) {
    text += name;
    ends.push_back(text.size());
  }
  model.tensors.push_back(tensor_of(names_tensor, text));
  model.tensors.push_back(Tensor::copy_of<std::uint64_t>(ends_tensor, {ends.size()}, ends));
}

/// Short hashes came with version 2, normal forms with version 3, steps of numbers with version 4,
/// large layouts with version 5; models without them stay readable for older programs.
constexpr int kVersion = 1, kShortHashVersion = 2, kNormalFormVersion = 3, kStepsVersion = 4,
              kLargeLayoutVersion = 5;

Json stored_layout(const Json& features, const Document& model) {
  if (features.at("version") < kLargeLayoutVersion) return features.at("layout");
  const auto bytes = model.at(kLayout).as<std::uint8_t>();
  return parse_json<Json>(std::string(bytes.begin(), bytes.end()),
                          "model: tensor '" + std::string(kLayout) + "': ");
}

bool has_steps(const FeaturizerState& s) {
  return !s.numbers.empty() && s.numbers[0].kind() == NumberFeatures::Kind::steps;
}

/// Numbers in bins are of models before version 4, whose layouts are small.
int version_of(const FeaturizerState& s, std::size_t layout_size) {
  const bool has_bins = !s.numbers.empty() && !has_steps(s);
  if (layout_size >= kLargeLayout && !has_bins) return kLargeLayoutVersion;
  if (has_steps(s)) return kStepsVersion;
  if (!s.sparse && !s.options.normal_form.empty()) return kNormalFormVersion;
  return s.options.hash_bits != kWholeHash ? kShortHashVersion : kVersion;
}

std::string edges_tensor(NumberFeatures::Kind kind, std::size_t column) {
  const char* const name = kind == NumberFeatures::Kind::steps ? "steps." : "bins.";
  return std::string("features.") + name + std::to_string(column);
}

void load_numbers(const Document& model, NumberFeatures::Kind kind, FeaturizerState& s) {
  for (const InputColumn& column : s.layout.columns) {
    if (column.type != ColumnType::number) continue;
    const std::string name = edges_tensor(kind, column.number);
    const Tensor& tensor = model.at(name);
    std::vector<double> edges;
    if (tensor.dtype == Dtype::f32) {  // of an earlier version
      const auto values = tensor.as<float>();
      edges.assign(values.begin(), values.end());
    } else {
      const auto values = tensor.as<double>();
      edges.assign(values.begin(), values.end());
    }
    if (!std::is_sorted(edges.begin(), edges.end())) {
      fail(ExitStatus::bad_input, "model: tensor '", name, "' does not ascend, expected edges");
    }
    s.numbers.emplace_back(column.name, kind, std::move(edges));
  }
}

void load_keys(const Document& model, Elements elements, FeaturizerState& s) {
  const Tensor* const whole = model.find(kHashes);
  if (elements == Elements::lent && whole != nullptr) {
    s.lent_keys = whole->as<std::uint64_t>();
  } else {
    auto keys = load_hashes(model);
    if (!keys) fail(ExitStatus::bad_input, "model: tensor '", kHashes, "' is missing");
    s.keys = std::move(*keys);
  }
  if (s.all_keys().size() == s.num_features) return;
  fail(ExitStatus::bad_input, "model: has ", s.all_keys().size(), " hashes, expected ",
       s.num_features);
}

void load_idf(const Document& model, Elements elements, FeaturizerState& s) {
  const auto idf = model.at("features.idf").as<float>();
  if (idf.size() != s.num_features) {
    fail(ExitStatus::bad_input, "model: has ", idf.size(), " idf weights, expected ",
         s.num_features);
  }
  if (elements == Elements::lent) return s.weighting.lend_idf(idf);
  s.weighting.set_idf(idf);
}

}  // namespace

std::vector<std::string> load_names(const std::string& names_tensor, const std::string& ends_tensor,
                                    const Document& model) {
  const auto bytes = model.at(names_tensor).as<std::uint8_t>();
  std::vector<std::string> names;
  std::uint64_t begin = 0;
  for (const std::uint64_t end : model.at(ends_tensor).as<std::uint64_t>()) {
    if (end < begin || end > bytes.size()) {
      fail(ExitStatus::bad_input, "model: tensor '", ends_tensor, "' has ", end, " after ", begin,
           ", expected ascending places in ", bytes.size(), " bytes");
    }
    names.emplace_back(bytes.begin() + static_cast<std::ptrdiff_t>(begin),
                       bytes.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end;
  }
  return names;
}

std::optional<std::vector<std::uint64_t>> load_hashes(const Document& model) {
  if (const Tensor* const hashes = model.find(kHashes)) {
    const auto values = hashes->as<std::uint64_t>();
    return std::vector<std::uint64_t>(values.begin(), values.end());
  }
  const Tensor* const hashes = model.find(kShortHashes);
  if (hashes == nullptr) return std::nullopt;
  const Json json = parse_metadata(model);
  try {
    return unpack_hashes(hashes->as<std::uint8_t>(), json.at("num_features").get<std::uint32_t>(),
                         json.at("hash_bits").get<int>());
  } catch (const nlohmann::json::exception& error) {
    fail(ExitStatus::bad_input, "model: metadata '", kKey, "' is incomplete: ", error.what());
  }
}

std::string options_text(const FeatureOptions& options) { return text_of(to_json(options)); }

void Featurizer::save(Document& model) const {
  const FeaturizerState& s = *state_;
  const bool is_short = s.options.hash_bits != kWholeHash;
  Json layout = to_json(s.layout);
  const std::string layout_text = text_of(layout);
  const int version = version_of(s, layout_text.size());
  Json json = {{"version", version}, {"options", to_json(s.options)}};
  if (version < kLargeLayoutVersion) {
    json["layout"] = std::move(layout);
  } else {
    model.tensors.push_back(tensor_of(kLayout, layout_text));
  }
  json["sparse"] = s.sparse;
  json["num_features"] = s.num_features;
  json["num_labels"] = s.labels.size();
  json["labels_numbered"] = s.labels.is_numbered();
  if (is_short) json["hash_bits"] = s.options.hash_bits;
  model.metadata[kKey] = text_of(json);
  if (!s.labels.is_numbered()) {
    save_names("labels.names", "labels.name_ends", s.labels.names(), model);
  }
  if (!s.names.empty()) save_names("features.names", "features.name_ends", s.names, model);
  for (std::size_t i = 0; i < s.numbers.size(); ++i) {
    const std::vector<double>& edges = s.numbers[i].edges();
    const std::string name = edges_tensor(s.numbers[i].kind(), i);
    model.tensors.push_back(Tensor::copy_of<double>(name, {edges.size()}, edges));
  }
  if (is_short) {
    const std::vector<std::uint8_t> bytes = pack_hashes(s.keys, s.options.hash_bits);
    model.tensors.push_back(Tensor::copy_of<std::uint8_t>(kShortHashes, {bytes.size()}, bytes));
  } else if (!s.sparse) {
    model.tensors.push_back(Tensor::copy_of<std::uint64_t>(kHashes, {s.keys.size()}, s.keys));
  }
  if (s.weighting.needs_idf()) {
    model.tensors.push_back(
        Tensor::copy_of<float>("features.idf", {s.weighting.idf().size()}, s.weighting.idf()));
  }
}

Featurizer::Featurizer(const Document& model, Elements elements)
    : state_(std::make_unique<FeaturizerState>()) {
  FeaturizerState& s = *state_;
  const Json json = parse_metadata(model);
  auto kind = NumberFeatures::Kind::steps;
  try {
    const Json& version = json.at("version");
    if (!version.is_number_integer() || version < kVersion || version > kLargeLayoutVersion) {
      fail(ExitStatus::bad_input, "model: its features have version ", printable(version.dump()),
           ", expected 1 to 5: it was written by a newer sparse-train");
    }
    if (version < kStepsVersion) kind = NumberFeatures::Kind::bins;
    s.options = options_from(json.at("options"));
    s.layout = layout_from(stored_layout(json, model), s.options);
    s.sparse = json.at("sparse");
    if (json.contains("hash_bits")) s.options.hash_bits = whole_number<int>(json, "hash_bits");
    const bool is_short = s.options.hash_bits >= 1 && s.options.hash_bits < kWholeHash && !s.sparse;
    if (s.options.hash_bits != kWholeHash && !is_short) {
      fail(ExitStatus::bad_input, "model: its features' hashes have ", s.options.hash_bits,
           " bits, expected 1 to ", kWholeHash, s.sparse ? ", and none for ids" : "");
    }
    s.num_features = whole_number<std::uint32_t>(json, "num_features");
    const auto num_labels = whole_number<std::uint32_t>(json, "num_labels");
    if (json.at("labels_numbered")) {
      s.labels = LabelTable::numbered(num_labels);
    } else {
      auto names = load_names("labels.names", "labels.name_ends", model);
      s.labels = elements == Elements::lent ? LabelTable::without_index(std::move(names))
                                            : LabelTable(std::move(names));
    }
    if (s.labels.size() != num_labels) {
      fail(ExitStatus::bad_input, "model: has ", s.labels.size(), " label names, expected ",
           num_labels);
    }
  } catch (const nlohmann::json::exception& error) {
    fail(ExitStatus::bad_input, "model: metadata '", kKey, "' is incomplete: ", error.what());
  }
  s.fitted = true;
  s.weighting = Weighting(s.options.weighting);
  load_numbers(model, kind, s);
  if (model.find("features.names") != nullptr) {
    s.names = load_names("features.names", "features.name_ends", model);
    if (s.names.size() != s.num_features) {
      fail(ExitStatus::bad_input, "model: has ", s.names.size(), " names of features, expected ",
           s.num_features);
    }
  }
  if (!s.sparse) load_keys(model, elements, s);
  if (s.weighting.needs_idf()) load_idf(model, elements, s);
}

}  // namespace frugal::sparse
