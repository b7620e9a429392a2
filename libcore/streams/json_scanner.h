#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace frugal {

/// Reads the parts of a JSON text one after another, without building a tree and without recursion,
/// for formats whose structure is known. Strict: valid UTF-8, no raw control characters, numbers
/// are digits only. Errors are bad_input (65): place, ": byte N: ", finding.
class JsonScanner {
 public:
  /// `place` begins the error lines; both must outlive the scanner.
  JsonScanner(std::string_view text, const std::string& place) : text_(text), place_(place) {}

  /// Consumes c, after white space; fails when another character is there.
  void expect(char c);
  /// Consumes c, after white space, if it is there.
  bool take(char c);
  /// Consumes `null`, after white space, if it is there.
  bool take_null();
  /// A string of at most max_bytes bytes once its escapes are resolved; `what` names it in errors.
  std::string string(std::string_view what, std::uint64_t max_bytes);
  /// A number from 0 to 2^48.
  std::uint64_t number();

  char next_character() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  /// Fails unless only spaces are left.
  void expect_padding();
  [[noreturn]] void bad(std::string_view finding) const;

 private:
  void skip_space();
  void append_escape(std::string& to);
  std::uint32_t code_point();
  std::uint32_t hex4();

  std::string_view text_;
  const std::string& place_;
  std::size_t at_ = 0;
};

/// The text as a JSON string with its quotes: UTF-8 as it is, control characters escaped.
std::string json_string(std::string_view text);

}  // namespace frugal
