#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/streams/json_text.h"
#include "libcore/streams/strict_json.h"
#include "tools/robe-compress/columns/click_batch.h"
#include "tools/robe-compress/data/click_encoder.h"

// How an encoder is stored in a model document: metadata "data.encoder", the columns with scales
// and rows as JSON; for ids by count tensors "data.vocabulary" (U64: hashes of the categories of
// rows 1, 2 ... of each field, field after field) and "data.counts" (U32: training samples by row).
namespace frugal::robe {
namespace {

using nlohmann::json;

constexpr const char* kEncoderKey = "data.encoder";
constexpr const char* kVocabulary = "data.vocabulary";
constexpr const char* kCounts = "data.counts";

json column_to_json(const ClickColumn& column) {
  json j = {{"name", column.name},
            {"index", column.index},
            {"type", std::string(click_column_types().name(column.type))}};
  if (column.is_whole) j["whole"] = true;
  if (column.joins_missing) j["joins_missing"] = true;
  if (column.joins_booleans) j["joins_booleans"] = true;
  if (column.offset != 0) j["offset"] = column.offset;
  return j;
}

ClickColumn column_from_json(const json& j, std::size_t num_columns) {
  ClickColumn column{j.at("name").get<std::string>(), whole_number<std::size_t>(j, "index"),
                     click_column_types().by_name(j.at("type").get<std::string>())};
  column.is_whole = j.value("whole", false);
  column.joins_missing = j.value("joins_missing", false);
  column.joins_booleans = j.value("joins_booleans", false);
  column.offset = j.value("offset", 0.0);
  if (column.index < num_columns) return column;
  fail(ExitStatus::bad_input, "column '", printable(column.name), "' is number ", column.index,
       ", expected one below ", num_columns);
}

/// A column of numbers or categories: another than the label, which may be missing.
ClickColumn input_from_json(const json& j, const ClickSchema& schema) {
  ClickColumn column = column_from_json(j, schema.num_columns);
  if (column.index != schema.label.index) return column;
  fail(ExitStatus::bad_input, "column '", printable(column.name), "' is number ", column.index,
       ", the label's, expected another");
}

ClickSchema schema_from_json(const json& j) {
  ClickSchema schema;
  schema.format = click_formats().by_name(j.at("format").get<std::string>()).name;
  schema.has_header = j.at("header").get<bool>();
  schema.num_columns = whole_number<std::size_t>(j, "columns");
  schema.by_field = j.value("by_field", false);
  schema.label = column_from_json(j.at("label"), schema.num_columns);
  const auto positive = j.at("positive").get<std::string>();
  if (!positive.empty()) schema.positive = LabelRule(positive);
  for (const json& c : j.at("numbers")) {
    schema.numbers.push_back(input_from_json(c, schema));
  }
  for (const json& c : j.at("categories")) {
    schema.categories.push_back(input_from_json(c, schema));
    schema.rows.push_back(whole_number<std::uint64_t>(c, "rows"));
    if (schema.rows.back() >= 1 && schema.rows.back() <= kMostTableRows) continue;
    fail(ExitStatus::bad_input, "column '", printable(schema.categories.back().name), "' has ",
         schema.rows.back(), " rows, expected 1 to ", kMostTableRows);
  }
  schema.ids = id_kind(j.at("ids").get<std::string>());
  schema.hex_ids = j.at("hex_ids").get<bool>();
  schema.max_rows = whole_number<std::uint64_t>(j, "max_rows");
  schema.scale_numbers = j.at("scale_numbers").get<bool>();
  if (schema.categories.empty() && schema.numbers.empty()) {
    fail(ExitStatus::bad_input, "no column is a category or a number, expected one");
  }
  return schema;
}

NumberScale scale_from_json(const json& j) {
  const NumberScale scale{j.at("mean").get<float>(), j.at("scale").get<float>()};
  if (std::isfinite(scale.mean) && std::isfinite(scale.scale)) return scale;
  fail(ExitStatus::bad_input, "a scale is ", scale.mean, ", ", scale.scale, ", expected numbers");
}

/// The part of a tensor that belongs to a field, as a vector of its own.
template <class T>
std::vector<T> take(std::span<const T>& values, std::uint64_t count) {
  const auto n = static_cast<std::size_t>(count);
  std::vector<T> part(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
  values = values.subspan(n);
  return part;
}

void check_size(const Tensor& tensor, std::uint64_t expected) {
  if (tensor.shape == Shape{expected}) return;
  fail(ExitStatus::bad_input, "tensor '", tensor.name, "' is ", shape_text(tensor.shape),
       ", expected [", expected, "]");
}

/// Gaps of a table of so many rows: ascending and apart.
std::vector<RowGap> gaps_from_json(const json& j, std::uint64_t rows) {
  std::vector<RowGap> gaps;
  if (!j.contains("gaps")) return gaps;
  std::uint64_t behind = 1;
  for (const json& entry : j.at("gaps")) {
    gaps.push_back(
        {whole_number<std::uint64_t>(entry, "row"), whole_number<std::uint64_t>(entry, "count")});
    const RowGap& gap = gaps.back();
    if (gap.row < behind || gap.count == 0 || gap.row >= rows || gap.count >= rows - gap.row) {
      fail(ExitStatus::bad_input, "column '", printable(j.at("name").get<std::string>()),
           "' passes over rows ", gap.row, " and ", gap.count - 1, " more, expected some of ", rows,
           ", none of them twice");
    }
    behind = gap.row + gap.count;
  }
  return gaps;
}

}  // namespace

void ClickEncoder::save(Document& document) const {
  json j = {{"format", schema_.format},
            {"header", schema_.has_header},
            {"columns", schema_.num_columns},
            {"label", column_to_json(schema_.label)},
            {"positive", schema_.positive.text()},
            {"numbers", json::array()},
            {"categories", json::array()},
            {"ids", std::string(id_kind_name(schema_.ids))},
            {"hex_ids", schema_.hex_ids},
            {"max_rows", schema_.max_rows},
            {"scale_numbers", schema_.scale_numbers}};
  if (schema_.by_field) j["by_field"] = true;
  for (std::size_t n = 0; n < num_numbers(); ++n) {
    json column = column_to_json(schema_.numbers[n]);
    column["mean"] = scales_[n].mean;
    column["scale"] = scales_[n].scale;
    j["numbers"].push_back(std::move(column));
  }
  std::vector<std::uint64_t> vocabulary;
  std::vector<std::uint32_t> counts;
  for (std::size_t f = 0; f < num_fields(); ++f) {
    json column = column_to_json(schema_.categories[f]);
    column["rows"] = fields_[f].rows;
    if (fields_[f].first) column["first"] = *fields_[f].first;
    for (const RowGap& gap : fields_[f].gaps) {
      column["gaps"].push_back({{"row", gap.row}, {"count", gap.count}});
    }
    j["categories"].push_back(std::move(column));
    const auto& keys = fields_[f].index.keys();
    vocabulary.insert(vocabulary.end(), keys.begin(), keys.end());
    counts.insert(counts.end(), fields_[f].counts.begin(), fields_[f].counts.end());
  }
  document.metadata[kEncoderKey] = j.dump();
  if (schema_.ids != IdKind::count) return;
  document.tensors.push_back(
      Tensor::copy_of<std::uint64_t>(kVocabulary, {vocabulary.size()}, vocabulary));
  document.tensors.push_back(Tensor::copy_of<std::uint32_t>(kCounts, {counts.size()}, counts));
}

void ClickEncoder::load_vocabulary(const Document& document) {
  std::uint64_t rows = 0;
  for (const Field& field : fields_) rows += field.rows - field.gap_rows();
  const Tensor& vocabulary = document.at(kVocabulary);
  const Tensor& counted = document.at(kCounts);
  check_size(vocabulary, rows - num_fields());
  check_size(counted, rows);
  auto keys = vocabulary.as<std::uint64_t>();
  auto counts = counted.as<std::uint32_t>();
  for (std::size_t f = 0; f < num_fields(); ++f) {
    Field& field = fields_[f];
    const std::uint64_t named = field.rows - field.gap_rows();
    field.counts = take(counts, named);
    const std::uint64_t samples =
        std::accumulate(field.counts.begin(), field.counts.end(), std::uint64_t{0});
    field.values = {named - 1, samples};
    field.index = HashIndex(take(keys, named - 1));
  }
  schema_.rows.clear();
}

ClickEncoder ClickEncoder::load(const Document& document, const std::string& path) try {
  const auto found = document.metadata.find(kEncoderKey);
  if (found == document.metadata.end()) {
    fail(ExitStatus::bad_input, "no metadata '", kEncoderKey, "', expected a model's");
  }
  const json j = parse_json<json>(found->second, "metadata '" + std::string(kEncoderKey) + "': ");
  ClickEncoder encoder(schema_from_json(j));
  for (std::size_t n = 0; n < encoder.num_numbers(); ++n) {
    encoder.scales_[n] = scale_from_json(j.at("numbers")[n]);
  }
  for (std::size_t f = 0; f < encoder.num_fields(); ++f) {
    const json& column = j.at("categories")[f];
    Field& field = encoder.fields_[f];
    if (column.contains("first")) field.first = whole_number<std::uint64_t>(column, "first");
    field.gaps = gaps_from_json(column, field.rows);
  }
  if (encoder.schema_.ids == IdKind::count) encoder.load_vocabulary(document);
  return encoder;
} catch (const json::exception& error) {
  fail(ExitStatus::bad_input, path, ": metadata '", kEncoderKey, "': ", error.what());
} catch (const Error& error) {
  fail(ExitStatus::bad_input, path, ": ", error.what());
}

ClickEncoder ClickEncoder::clone() const {
  Document document;
  save(document);
  return load(document, "the model");
}

}  // namespace frugal::robe
