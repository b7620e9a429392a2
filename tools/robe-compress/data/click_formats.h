#pragma once
#include <span>
#include <string>
#include <string_view>

#include "libcore/io/delimited.h"

namespace frugal::robe {

/// What a column is good for. hour and weekday are categories made of a time like 14102100
/// (YYMMDDHH); number is scaled to mean 0 and deviation 1, log is log(1 + max(x, 0)) before that.
enum class ClickColumnType { label, category, hour, weekday, number, log, ignore };

/// One format of click data. The table is all there is to say about them: --format's help,
/// detection and error lines come from it.
struct ClickFormat {
  std::string_view name;
  std::string_view description;       ///< one line for --format's help
  DelimitedStyle style;               ///< pairs: lines
  std::string_view columns = {};      ///< names of the columns where they are fixed, "a,b,c"
  std::string_view declaration = {};  ///< their --columns
  bool pairs = false;                 ///< "label id:1 id:1 ...", one pair a field
  bool may_have_header = true;
  bool scale_numbers = true;
  bool hex_ids = false;  ///< --ids number reads hexadecimal
  bool (*recognises)(std::string_view first_line) = nullptr;
};

std::span<const ClickFormat> click_formats();
/// Fails (usage) naming those there are.
const ClickFormat& click_format(std::string_view name);
/// The first that recognises the record at the start of `head`. Fails (bad_input).
const ClickFormat& detect_click_format(const std::string& name, std::string_view head);
/// "auto (by the first line); criteo: ...".
std::string click_format_help();

}  // namespace frugal::robe
