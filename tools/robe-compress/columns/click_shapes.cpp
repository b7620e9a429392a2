#include "tools/robe-compress/columns/click_shapes.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "tools/robe-compress/columns/click_batch.h"

namespace frugal::robe {
namespace {

constexpr std::uint64_t kUnscaled = 20000;

}  // namespace

const std::vector<ClickShape>& click_shapes() {
  static const std::vector<ClickShape> shapes{
      {"kaggle",
       "Criteo's display advertising challenge, 33,762,577 rows",
       {1460,  583,  10131227, 2202608, 305, 24,     12517,   633,   3,
        93145, 5683, 8351593,  3194,    27,  14992,  5461306, 10,    5652,
        2173,  4,    7046547,  18,      15,  286181, 105,     142572}},
      {"terabyte",
       "Criteo's terabyte data set with ids below 40 million, 187,767,399 rows",
       {39884406, 39043,    17289,    7420,     20263,  3,     7120, 1543, 63,
        38532951, 2953546,  403346,   10,       2208,   11938, 155,  4,    976,
        14,       39979771, 25641295, 39664984, 585935, 12972, 108,  36}},
      {"small",
       "for a first try, tables of at most 1,000 rows, 16,727 in total",
       {1000, 583,  1000, 1000, 305,  24,   1000, 633,  3,  1000, 1000, 1000, 1000,
        27,   1000, 1000, 10,   1000, 1000, 4,    1000, 18, 15,   1000, 105,  1000}},
  };
  return shapes;
}

const ClickShape& click_shape(std::string_view name, std::string_view option) {
  std::vector<std::string> names;
  for (const ClickShape& shape : click_shapes()) {
    if (shape.name == name) return shape;
    names.emplace_back(shape.name);
  }
  fail(ExitStatus::usage, option, ": no shape '", printable(name),
       "', expected kaggle, terabyte or small", did_you_mean(name, names));
}

std::vector<std::uint64_t> scaled_rows(const ClickShape& shape, double scale) {
  std::vector<std::uint64_t> rows = shape.rows;
  for (std::uint64_t& r : rows) {
    if (r < kUnscaled) continue;
    r = std::max(kUnscaled, static_cast<std::uint64_t>(static_cast<double>(r) / scale));
  }
  return rows;
}

std::vector<std::uint64_t> parse_rows(std::string_view text, std::string_view option) {
  if (text.find_first_not_of("0123456789, ") != std::string_view::npos) {
    const std::size_t slash = std::min(text.find('/'), text.size());
    const ClickShape& shape = click_shape(text.substr(0, slash), option);
    if (slash == text.size()) return shape.rows;
    const auto scale = parse_number<double>(text.substr(slash + 1));
    if (scale && *scale >= 1 && *scale <= 1e6) return scaled_rows(shape, *scale);
    fail(ExitStatus::usage, option, ": '", printable(text),
         "' is not scaled by a number from 1 on");
  }
  std::vector<std::uint64_t> rows;
  for (const std::string_view part : split(text, ',')) {
    const auto number = parse_number<std::uint64_t>(trim(part));
    if (!number || *number < 1 || *number > kMostTableRows) {
      fail(ExitStatus::usage, option, ": found '", printable(part),
           "', expected numbers of rows from 1 to ", kMostTableRows,
           ", or a shape like terabyte/100");
    }
    rows.push_back(*number);
  }
  return rows;
}

}  // namespace frugal::robe
