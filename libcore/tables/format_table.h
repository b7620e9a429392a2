#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace frugal {

/// The part of an input from which its format is recognised.
struct FormatSample {
  /// Sample of an input with that name, whose text begins with `begin`.
  FormatSample(std::string_view name_of_input, std::string_view begin);

  std::string_view name;  ///< for messages
  std::string_view path;  ///< the name without .gz or .zst at its end
  std::string_view head;
  std::string_view line;  ///< the first line, without its end
};

/// Fails (usage): `name` is not one of the known formats.
[[noreturn]] void fail_unknown_format(std::string_view name, std::span<const std::string> known);
/// Fails (bad_input): the format was not recognised. The message says how to name it.
[[noreturn]] void fail_to_detect(const FormatSample& sample, std::span<const std::string> known);

/// The formats of one kind of input, one row of a table each. A Row has these members:
///   name, description;
///   recognises(sample): null if the format is only chosen by its name;
///   suffixes: file endings that mean this format (optional);
///   distinctive: true if a match rules out all other formats (optional).
template <class Row>
class FormatTable {
 public:
  constexpr explicit FormatTable(std::span<const Row> rows) : rows_(rows) {}
  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }

  /// Names of the rows for which accepts(row) is true.
  template <class Accepts>
  std::vector<std::string> names(const Accepts& accepts) const {
    std::vector<std::string> names;
    for (const Row& row : rows_) {
      if (accepts(row)) names.emplace_back(row.name);
    }
    return names;
  }
  std::vector<std::string> names() const {
    return names([](const Row&) { return true; });
  }
  /// Values of --format: auto and the names.
  std::vector<std::string> choices() const {
    std::vector<std::string> choices = names();
    choices.insert(choices.begin(), "auto");
    return choices;
  }
  /// "format of the input. auto: by the first line. NAME: DESCRIPTION. NAME: ...".
  std::string help(std::string_view detected_by) const {
    std::string help = "format of the input. auto: by " + std::string(detected_by);
    for (const Row& row : rows_) {
      help += ". " + std::string(row.name) + ": " + std::string(row.description);
    }
    return help;
  }

  const Row* find(std::string_view name) const {
    for (const Row& row : rows_) {
      if (row.name == name) return &row;
    }
    return nullptr;
  }
  /// Fails (usage) and lists the known formats if there is none of that name.
  const Row& by_name(std::string_view name) const {
    const Row* row = find(name);
    if (row == nullptr) fail_unknown_format(name, names());
    return *row;
  }

  /// The row that matches the sample, null if none does. Tried in this order: distinctive rows that
  /// recognise it, rows with the suffix of its path, other rows that recognise it.
  template <class Sample>
  const Row* recognised(const Sample& sample) const {
    if constexpr (requires(const Row& row) { row.suffixes; }) {
      for (const Row& row : rows_) {
        if (row.distinctive && row.recognises(sample)) return &row;
      }
      for (const Row& row : rows_) {
        for (const std::string_view suffix : row.suffixes) {
          if (sample.path.ends_with(suffix)) return &row;
        }
      }
    }
    for (const Row& row : rows_) {
      if (row.recognises != nullptr && row.recognises(sample)) return &row;
    }
    return nullptr;
  }
  /// As recognised(), but fails (bad_input) if there is no match, and says how to name the format.
  const Row& detect(const FormatSample& sample) const {
    const Row* row = recognised(sample);
    if (row != nullptr) return *row;
    fail_to_detect(sample, names([](const Row& r) { return r.recognises != nullptr; }));
  }

 private:
  std::span<const Row> rows_;
};

}  // namespace frugal
