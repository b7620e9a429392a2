#pragma once
#include <span>
#include <string>
#include <string_view>

namespace frugal {

/// One format of labelled examples in text. Names, detection and error lines come from the table of
/// formats.
struct TextFormat {
  std::string_view name;
  std::span<const std::string_view>
      suffixes;  ///< ".csv"; ".zst" and ".gz" after it are no part of it
  bool (*recognises)(std::string_view first_line);
  bool distinctive;  ///< what recognises() accepts is no other format: stronger than the suffix
};

std::span<const TextFormat> text_formats();

/// The format of that name; fails (usage) naming those there are.
const TextFormat& text_format(std::string_view name);

/// By the first line where it is distinctive, else by the suffix of the name, else by the first
/// line. Fails (bad_input) saying how to name the format.
const TextFormat& detect_text_format(std::string_view path, std::string_view head);

}  // namespace frugal
