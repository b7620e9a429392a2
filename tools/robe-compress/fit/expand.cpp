#include "tools/robe-compress/fit/expand.h"

#include <numeric>
#include <unordered_map>

#include "libcore/arrays/row_file.h"
#include "tools/robe-compress/fit/table_file.h"
#include "tools/robe-compress/model/array_file.h"

namespace frugal::robe {

ExpandResult expand_tables(const ExpandOptions& options,
                           const std::function<void(double rows)>& progress) {
  const Dtype dtype = row_dtype(options.dtype);
  const auto embedding = load_array(options.array);
  const TableSet& tables = embedding->tables();
  DocumentInfo info;
  ExpandResult result;
  std::unordered_map<std::string, std::size_t> numbers;
  std::vector<std::string> names;
  for (const TableShape& table : tables.tables()) names.push_back(table.name);
  for (const std::size_t t : choose_tables(names, options.names, options.array)) {
    const TableShape& table = tables.table(t);
    info.tensors.push_back({table.name, dtype, {table.rows, tables.dim()}});
    numbers[table.name] = t;
    ++result.tables;
    result.rows += table.rows;
  }
  result.bytes = result.rows * tables.dim() * item_size(dtype);
  append_history(info.metadata, options.history_entry);
  RowMaker rows(*embedding);
  std::vector<std::uint32_t> ids;
  double done = 0;
  const auto fill = [&](const TensorInfo& tensor, std::uint64_t begin, std::uint64_t end,
                        std::span<std::byte> to) {
    ids.resize(end - begin);
    std::iota(ids.begin(), ids.end(), static_cast<std::uint32_t>(begin));
    rows.make(numbers.at(tensor.name), ids, dtype, to);
    progress(done += static_cast<double>(end - begin));
  };
  write_rows(options.output, info, fill);
  return result;
}

}  // namespace frugal::robe
