#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace frugal::sparse {

/// Names of labels by id, and back.
class LabelTable {
 public:
  static constexpr std::uint32_t kMissing = 0xffffffff;

  LabelTable();
  /// Ids as in `names`; fails (bad_input) if one stands twice.
  explicit LabelTable(std::vector<std::string> names);
  /// As above, but it is the first find() that fails, and that takes the time of building an index.
  static LabelTable without_index(std::vector<std::string> names);
  /// "0", "1" ... for inputs whose labels are ids.
  static LabelTable numbered(std::uint32_t size);

  /// This table with more names after its own, in natural order: by value where all are whole
  /// numbers, else by bytes. Names it has are passed over. A numbered table grows to the highest
  /// number. Fails (bad_input) where a name of a numbered table is none.
  LabelTable with(std::vector<std::string> names) const;

  std::uint32_t size() const { return size_; }
  const std::vector<std::string>& names() const;
  std::string name(std::uint32_t id) const { return numbered_ ? std::to_string(id) : names()[id]; }
  bool is_numbered() const { return numbered_; }
  /// A whole number in another spelling (7, 7.0, +7, 007) is the name that has this value, of 7 and
  /// 007 the first. True, TRUE and true are one name, too, if the table has only one of them.
  std::uint32_t find(const std::string& name) const;

 private:
  struct Content;
  const Content& indexed() const;

  std::uint32_t size_ = 0;
  bool numbered_ = false;  ///< the name is the id: no need for an index
  /// Names and their index, made when they are first asked for. Copies share it.
  std::shared_ptr<Content> content_;
};

/// Gives labels numbers in the order of their first occurrence while an input is read.
class LabelNumbers {
 public:
  /// 1, +1 and 1.0 are one label, called as it came first, and so is 01 if codes_are_numbers.
  explicit LabelNumbers(bool codes_are_numbers = false) : codes_are_numbers_(codes_are_numbers) {}
  std::uint32_t number(const std::string& name);
  const std::vector<std::string>& names() const { return names_; }

 private:
  bool codes_are_numbers_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

}  // namespace frugal::sparse
