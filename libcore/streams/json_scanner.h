#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace frugal {

/// Reads a JSON text token by token, without a tree and without recursion, for formats with a known
/// structure. Strict: valid UTF-8, no raw control characters, numbers are digits only. Errors are
/// bad_input (65): place, ": byte N: ", what was found.
class JsonScanner {
 public:
  /// `place` begins the error lines; both must outlive the scanner.
  JsonScanner(std::string_view text, const std::string& place) : text_(text), place_(place) {}

  /// Skips white space and consumes c; fails if another character is next.
  void expect(char c);
  /// Skips white space and consumes c if it is next.
  bool take(char c);
  /// Skips white space and consumes `null` if it is next.
  bool take_null();
  /// Reads a string of at most max_bytes bytes after its escapes are resolved; errors call it
  /// `what`.
  std::string string(std::string_view what, std::uint64_t max_bytes);
  /// Reads a number from 0 to 2^48.
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

/// Writes a text as a JSON string with quotes: UTF-8 stays as it is, control characters are
/// escaped.
std::string json_string(std::string_view text);

}  // namespace frugal
