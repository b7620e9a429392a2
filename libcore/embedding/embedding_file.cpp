#include "libcore/embedding/embedding_file.h"

#include <nlohmann/json.hpp>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/streams/json_text.h"
#include "libcore/tensors/metadata_reader.h"

namespace frugal {
namespace {

constexpr const char* kTables = "embedding.tables";

}  // namespace

TableSet load_tables(const Document& document, std::size_t fewest) {
  const MetadataReader read(document);
  const std::size_t dim = read.number("embedding.dim", 1, kMaxDim);
  const auto json =
      parse_json<nlohmann::json>(read.text(kTables), "metadata '" + std::string(kTables) + "': ");
  const auto bad = [&](const std::string& found) {
    fail(ExitStatus::bad_input, "metadata '", kTables, "': ", found, ", expected a list of ",
         fewest, " to ", kMaxTables, R"( {"name": ..., "rows": 1 to )", kMaxRows, "}");
  };
  if (!json.is_array() || json.size() < fewest || json.size() > kMaxTables) bad("no such list");
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
    if (!entry.contains("first")) continue;
    if (!entry["first"].is_number_unsigned() || entry["first"] > kMaxRows * kMaxTables) {
      bad("the first row of table " + std::to_string(tables.size()) + " is none");
    }
    tables.back().first = entry["first"].get<std::uint64_t>();
  }
  return {std::move(tables), dim};
}

void save_tables(const Embedding& embedding, Document& document) {
  nlohmann::ordered_json tables = nlohmann::ordered_json::array();
  for (const TableShape& table : embedding.tables().tables()) {
    tables.push_back({{"name", table.name}, {"rows", table.rows}});
    if (table.first) tables.back()["first"] = *table.first;
  }
  document.metadata[kTables] = tables.dump();
  document.metadata["embedding.dim"] = std::to_string(embedding.tables().dim());
  document.metadata[kMethodKey] = embedding.method();
}

}  // namespace frugal
