#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace frugal {

/// A type that --columns can declare for a column.
struct ColumnTypeRow {
  std::string_view name;
  bool once = false;    ///< at most one column has it
  bool splits = false;  ///< a field may contain several values: TYPE(SEPARATOR)
  bool shared = false;  ///< a column may also have another type with `shared`
};

/// Name in --columns that stands for all columns not named.
inline constexpr std::string_view kOtherColumns = "*";

/// Names of a table's columns: those in its header, or their numbers from 1 on.
class ColumnNames {
 public:
  ColumnNames() = default;
  /// header: empty if there is none. place: origin of the names, for messages.
  ColumnNames(std::vector<std::string> header, std::size_t num_columns, std::string place)
      : header_(std::move(header)), size_(num_columns), place_(std::move(place)) {}

  std::size_t size() const { return size_; }
  std::string operator[](std::size_t column) const {
    return column < header_.size() ? header_[column] : std::to_string(column + 1);
  }
  /// Index of the column called `name`: a name in the header, or a number from 1 on. Fails with
  /// usage, listing the columns, if there is none; with bad_input if the name occurs twice, or if
  /// the lines have fewer columns.
  std::size_t find(std::string_view name) const;
  /// As find(), for a column that a model needs. Fails with bad_input if the header lacks the name,
  /// since the data are wrong; the error lists `needed`, all names that the model needs.
  std::size_t find_needed(std::string_view name, std::span<const std::string> needed) const;
  bool has(std::string_view name) const {
    return std::find(header_.begin(), header_.end(), name) != header_.end();
  }

 private:
  std::vector<std::string> header_;
  std::size_t size_ = 0;
  std::string place_;
};

/// A column as declared by --columns; `type` is an index into the types.
struct ColumnDeclaration {
  std::string name;  ///< name in the header, a number from 1 on, or kOtherColumns
  std::size_t type = 0;
  std::string separator;  ///< between the values of a field; "" = one value
};

/// Parses "title:text,price:number,tags:category(;),*:ignore"; a name may be quoted, as in CSV.
/// Fails (usage) naming --columns and the wrong part: a missing name, an unknown type, or a column
/// declared twice. Also fails if a type that has none is given a separator, or a type that only one
/// column may have is used twice.
std::vector<ColumnDeclaration> parse_columns(std::string_view text,
                                             std::span<const ColumnTypeRow> types);
/// Whether one column may have both types.
bool may_share_column(std::span<const ColumnTypeRow> types, std::size_t a, std::size_t b);
[[noreturn]] void fail_same_column(std::string_view name, std::string_view other);
[[noreturn]] void fail_unknown_type(std::string_view name);

/// The column types of one kind of table, in the order of the enumeration Type.
template <class Type>
class ColumnTypes {
 public:
  struct Column {
    std::string name;
    Type type{};
    std::string separator = {};
    std::size_t index = 0;  ///< position in the table from 0, set by place()
    bool is_named = true;   ///< false: one of the columns that "*" stands for

    bool operator==(const Column&) const = default;
  };

  constexpr explicit ColumnTypes(std::span<const ColumnTypeRow> rows) : rows_(rows) {}
  std::string_view name(Type type) const { return rows_[static_cast<std::size_t>(type)].name; }
  /// Type of that name, as stored in a file. Fails (bad_input) if there is none.
  Type by_name(std::string_view name) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].name == name) return static_cast<Type>(i);
    }
    fail_unknown_type(name);
  }
  std::vector<Column> parse(std::string_view text) const {
    std::vector<Column> columns;
    for (ColumnDeclaration& c : parse_columns(text, rows_)) {
      columns.push_back({std::move(c.name), static_cast<Type>(c.type), std::move(c.separator)});
    }
    return columns;
  }
  /// Finds the declared columns in a table. If "*" is declared, all others follow in the table's
  /// order. Fails (usage) if a column does not exist, or is declared by its name and by its number.
  std::vector<Column> place(const std::vector<Column>& declared, const ColumnNames& names) const {
    std::vector<Column> placed;
    std::vector<bool> is_named(names.size());
    for (const Column& column : declared) {
      if (column.name == kOtherColumns) continue;
      const std::size_t index = names.find(column.name);
      for (const Column& other : placed) {
        if (other.index == index && !may_share(other.type, column.type)) {
          fail_same_column(column.name, other.name);
        }
      }
      placed.push_back({column.name, column.type, column.separator, index});
      is_named[index] = true;
    }
    for (const Column& column : declared) {
      for (std::size_t i = 0; column.name == kOtherColumns && i < names.size(); ++i) {
        if (!is_named[i]) placed.push_back({names[i], column.type, column.separator, i, false});
      }
    }
    return placed;
  }

 private:
  bool may_share(Type a, Type b) const {
    return may_share_column(rows_, static_cast<std::size_t>(a), static_cast<std::size_t>(b));
  }

  std::span<const ColumnTypeRow> rows_;
};

}  // namespace frugal
