#include "libcore/base/text.h"
#include "libcore/report/markup.h"
#include "libcore/report/report.h"
#include "libcore/report/report_style.h"

namespace frugal {
namespace {

constexpr double kWidth = 760, kMargin = 24, kTitle = 34, kFontHeight = 12;
constexpr std::string_view kElement = "<svg";

std::string attribute(const char* name, double value) {
  return ' ' + std::string(name) + "=\"" + coordinate(value) + '"';
}

/// Height attribute of an SVG element made by figure_svg().
double height_of(std::string_view svg) {
  constexpr std::string_view kHeight = " height=\"";
  const std::size_t begin = svg.find(kHeight) + kHeight.size();
  return parse_number<double>(svg.substr(begin, svg.find('"', begin) - begin)).value_or(0);
}

}  // namespace

std::string figures_file(std::span<const Figure> figures) {
  std::string body;
  double y = kMargin;
  for (const Figure& figure : figures) {
    body += "<text class=\"strong\"" + attribute("x", kMargin) + attribute("y", y + kFontHeight) +
            ">" + escape_markup(figure.title) + "</text>\n";
    y += kTitle;
    const std::string svg = figure_svg(figure, kWidth);
    body += std::string(kElement) + attribute("x", kMargin) + attribute("y", y) +
            svg.substr(kElement.size());
    y += height_of(svg) + kMargin;
  }
  const double width = kWidth + 2 * kMargin;
  const std::string size = attribute("width", width) + attribute("height", y);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\"" + size + " viewBox=\"0 0 " +
         coordinate(width) + ' ' + coordinate(y) + "\" font-family=\"sans-serif\">\n<style>\n" +
         figure_style() + "</style>\n<rect fill=\"#ffffff\"" + size + "/>\n" + body + "</svg>\n";
}

}  // namespace frugal
