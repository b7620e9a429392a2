#include "tools/robe-compress/fit/lookup.h"

#include "libcore/arrays/document_source.h"
#include "libcore/arrays/row_file.h"
#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/system/clock.h"
#include "libcore/system/temporary_file.h"
#include "tools/robe-compress/data/click_parser.h"
#include "tools/robe-compress/fit/id_source.h"
#include "tools/robe-compress/model/array_file.h"
#include "tools/robe-compress/model/click_model.h"

namespace frugal::robe {
namespace {

bool is_stream_of_documents(const std::string& path) {
  return format_of(path) == FileFormat::tensors && !path.ends_with(".safetensors") &&
         !path.ends_with(".safetensors.zst");
}

std::size_t wanted_table(const TableSet& tables, const LookupOptions& options) {
  if (!options.table.empty()) return find_table(tables, options.table, options.array);
  if (tables.size() == 1) return 0;
  std::vector<std::string> names;
  for (const TableShape& table : tables.tables()) names.push_back(printable(table.name));
  fail(ExitStatus::usage, options.array, ": has ", tables.size(),
       " tables, --table says which: ", joined(names));
}

ClickLayout layout_of(const ClickSchema& schema) {
  ClickLayout layout;
  layout.schema = schema;
  return layout;
}

/// Rows of a model's column by the categories of its data.
class CategoryRows {
 public:
  CategoryRows(ClickEncoder encoder, std::size_t field, const std::string& name)
      : encoder_(std::move(encoder)),
        field_(field),
        layout_(layout_of(encoder_.schema())),
        parser_(layout_, name) {}

  /// Where a category has no row of its own, row 0, as predict does.
  std::uint32_t row_of(std::string_view category) {
    const auto row = encoder_.find_row(field_, parser_.key_of(field_, category));
    if (!row) ++unknown_;
    return row.value_or(0);
  }
  std::uint64_t unknown() const { return unknown_; }

 private:
  ClickEncoder encoder_;
  std::size_t field_;
  ClickLayout layout_;
  ClickParser parser_;
  std::uint64_t unknown_ = 0;
};

class Lookup {
 public:
  Lookup(const Embedding& embedding, std::size_t table, std::unique_ptr<IdSource> source,
         const LookupOptions& options)
      : options_(options),
        table_(table),
        dim_(embedding.tables().dim()),
        name_(embedding.tables().table(table).name),
        dtype_(row_dtype(options.dtype)),
        source_(std::move(source)),
        rows_(embedding) {}

  std::uint64_t run() { return is_stream_of_documents(options_.output) ? stream() : write_one(); }

 private:
  DocumentInfo describe(std::uint64_t rows) const {
    DocumentInfo info;
    info.tensors = {{name_, dtype_, {rows, dim_}}};
    return info;
  }

  std::uint64_t stream() {
    TensorWriter writer(options_.output);
    std::uint64_t count = 0;
    for (std::vector<std::uint32_t> ids; source_->next(ids); count += ids.size()) {
      writer.write(describe(ids.size()), [&](const TensorInfo&, std::uint64_t begin,
                                             std::uint64_t end, std::span<std::byte> to) {
        rows_.make(table_, std::span(ids).subspan(begin, end - begin), dtype_, to);
      });
    }
    writer.finish();
    return count;
  }

  /// The number of rows comes before them in these files: ids wait in a temporary file until all
  /// are known.
  std::uint64_t write_one() {
    TemporaryFile waiting(temporary_folder());
    std::vector<std::uint32_t> ids;
    while (source_->next(ids)) waiting.write(ids.data(), ids.size() * sizeof ids[0]);
    const std::uint64_t count = waiting.size() / sizeof ids[0];
    const auto fill = [&](const TensorInfo&, std::uint64_t begin, std::uint64_t end,
                          std::span<std::byte> to) {
      ids.resize(end - begin);
      waiting.read(begin * sizeof ids[0], ids.data(), ids.size() * sizeof ids[0]);
      rows_.make(table_, ids, dtype_, to);
    };
    write_rows(options_.output, describe(count), fill, {});
    return count;
  }

  const LookupOptions& options_;
  std::size_t table_;
  std::uint64_t dim_;
  std::string name_;
  Dtype dtype_;
  std::unique_ptr<IdSource> source_;
  RowMaker rows_;
};

}  // namespace

LookupResult lookup_rows(const LookupOptions& options) {
  LookupResult result;
  if (options.form == "categories") {
    ClickModel model = load_model(options.array);
    expect_tables(model.embedding->tables(), options.array);
    const std::size_t table = wanted_table(model.embedding->tables(), options);
    CategoryRows categories(std::move(model.encoder), table, options.ids);
    const auto row_of = [&](std::string_view line) {
      return std::optional(
          categories.row_of(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line));
    };
    const double begin = wall_seconds();
    result.rows =
        Lookup(*model.embedding, table, open_categories(options.ids, row_of), options).run();
    result.seconds = wall_seconds() - begin;
    result.unknown = categories.unknown();
    return result;
  }
  const auto embedding = load_array(options.array);
  const std::size_t table = wanted_table(embedding->tables(), options);
  const double begin = wall_seconds();
  result.rows =
      Lookup(*embedding, table,
             open_ids(options.ids, options.form, embedding->tables().table(table).rows), options)
          .run();
  result.seconds = wall_seconds() - begin;
  return result;
}

}  // namespace frugal::robe
