#include "tools/robe-compress/embedding/embedding_file.h"

#include <nlohmann/json.hpp>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "tools/robe-compress/embedding/embedding_methods.h"

namespace frugal {
namespace {

constexpr const char* kTables = "embedding.tables";
constexpr std::uint64_t kMaxRows = std::numeric_limits<std::uint32_t>::max();

TableSet load_tables(const Document& document, const std::string& path) {
  const MetadataReader read(document, path);
  const std::size_t dim = read.number("embedding.dim", 1, kMaxDim);
  const auto json = nlohmann::json::parse(read.text(kTables), nullptr, /*allow_exceptions=*/false);
  const auto bad = [&](const std::string& found) {
    fail(ExitStatus::bad_input, path, ": metadata '", kTables, "': ", found,
         ", expected a list of 1 to ", kMaxTables, R"( {"name": ..., "rows": 1 to )", kMaxRows,
         "}");
  };
  if (!json.is_array() || json.empty() || json.size() > kMaxTables) bad("no such list");
  std::vector<TableShape> tables;
  for (const auto& entry : json) {
    if (!entry.is_object() || !entry.contains("name") || !entry["name"].is_string() ||
        !entry.contains("rows") || !entry["rows"].is_number_unsigned()) {
      bad("table " + std::to_string(tables.size() + 1) + " is not that");
    }
    tables.push_back({entry["name"].get<std::string>(), entry["rows"].get<std::uint64_t>()});
    if (tables.back().rows == 0 || tables.back().rows > kMaxRows) {
      bad("table " + std::to_string(tables.size()) + " has " + std::to_string(tables.back().rows) +
          " rows");
    }
  }
  return {std::move(tables), dim};
}

}  // namespace

const std::string& MetadataReader::text(const std::string& key) const {
  const auto found = metadata_.find(key);
  if (found == metadata_.end()) {
    fail(ExitStatus::bad_input, path_, ": metadata '", key,
         "' is missing: not a file of robe-compress");
  }
  return found->second;
}

std::uint64_t MetadataReader::number(const std::string& key, std::uint64_t low,
                                     std::uint64_t high) const {
  const std::optional<std::uint64_t> value = parse_number<std::uint64_t>(text(key));
  if (!value || *value < low || *value > high) {
    fail(ExitStatus::bad_input, path_, ": metadata '", key, "' is '", printable(text(key)),
         "', expected a number from ", low, " to ", high);
  }
  return *value;
}

bool MetadataReader::flag(const std::string& key) const {
  const std::string& value = text(key);
  if (value != "true" && value != "false") {
    fail(ExitStatus::bad_input, path_, ": metadata '", key, "' is '", printable(value),
         "', expected true or false");
  }
  return value == "true";
}

void save_tables(const Embedding& embedding, Document& document) {
  nlohmann::ordered_json tables = nlohmann::ordered_json::array();
  for (const TableShape& table : embedding.tables().tables()) {
    tables.push_back({{"name", table.name}, {"rows", table.rows}});
  }
  document.metadata[kTables] = tables.dump();
  document.metadata["embedding.dim"] = std::to_string(embedding.tables().dim());
  document.metadata["embedding.method"] = embedding.method();
}

std::unique_ptr<Embedding> load_embedding(const Document& document, const std::string& path) {
  const std::string& name = MetadataReader(document, path).text("embedding.method");
  for (const EmbeddingMethod& method : embedding_methods()) {
    if (method.name == name) return method.load(document, path, load_tables(document, path));
  }
  fail(ExitStatus::bad_input, path, ": metadata 'embedding.method' is '", printable(name),
       "', which this version does not know");
}

}  // namespace frugal
