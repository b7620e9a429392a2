#include "libcore/metrics/figure_parts.h"

#include <algorithm>
#include <cmath>

#include "libcore/metrics/markup.h"

namespace frugal {
namespace {

constexpr double kLegendRow = 20;
constexpr double kSampleWidth = 26;

void draw_sample(const LegendEntry& entry, Point at, Canvas& canvas) {
  canvas.open_group(series_class(entry.series));
  switch (entry.sample) {
    case LegendEntry::Sample::line:
      canvas.line({at.x, at.y}, {at.x + 20, at.y}, "line" + entry.dash);
      break;
    case LegendEntry::Sample::marker: canvas.marker({at.x + 10, at.y}, entry.series, ""); break;
    case LegendEntry::Sample::bar: canvas.rectangle({at.x + 6, at.y - 5}, 12, 10, "bar", ""); break;
  }
  canvas.close_group();
}

/// Lines at 2, 3 ... 9 times the powers of ten, which show that an axis is logarithmic.
std::vector<double> minor_values(const Axis& axis) {
  std::vector<double> values;
  const AxisRange& range = axis.range();
  const double decades = range.log ? std::log10(range.high / range.low) : 0;
  if (decades < 1 || decades > 6) return values;
  for (double power = std::pow(10, std::floor(std::log10(range.low))); power < range.high;
       power *= 10) {
    for (int factor = 2; factor < 10; ++factor) {
      const double value = factor * power;
      if (value > range.low && value < range.high) values.push_back(value);
    }
  }
  return values;
}

std::string series_summary(const Series& series) {
  std::vector<double> drawn;
  for (const double y : series.y) {
    if (std::isfinite(y)) drawn.push_back(y);
  }
  if (drawn.empty()) return series.name + ": no values";
  const auto [low, high] = std::minmax_element(drawn.begin(), drawn.end());
  return series.name + ": " + std::to_string(drawn.size()) + " values from " + short_number(*low) +
         " to " + short_number(*high) + ", last " + short_number(drawn.back());
}

std::string description(const Figure& figure) {
  std::string text = figure.kind == FigureKind::bar       ? "Bar chart"
                     : figure.kind == FigureKind::scatter ? "Scatter plot"
                                                          : "Line chart";
  if (!figure.y_label.empty()) text += " of " + figure.y_label;
  if (!figure.x_label.empty()) text += " against " + figure.x_label;
  for (const Series& series : figure.series) text += ". " + series_summary(series);
  return text + ".";
}

}  // namespace

double draw_legend(std::span<const LegendEntry> entries, double left, double right, double top,
                   Canvas* canvas) {
  if (entries.empty()) return 0;
  double x = left, y = top + kLegendRow / 2;
  for (const LegendEntry& entry : entries) {
    const std::string name = shorten(entry.name, kFontSize, right - left - kSampleWidth);
    const double width = kSampleWidth + text_width(name, kFontSize);
    if (x > left && x + width > right) {
      x = left;
      y += kLegendRow;
    }
    if (canvas != nullptr) {
      draw_sample(entry, {x, y}, *canvas);
      canvas->text({x + kSampleWidth, y + 4}, name, "name");
    }
    x += width + 16;
  }
  return y + kLegendRow / 2 - top + 4;
}

void draw_y_axis(const Axis& axis, const PlotArea& area, Canvas& canvas) {
  for (const double value : minor_values(axis)) {
    canvas.line({area.left, axis.pixel(value)}, {area.right, axis.pixel(value)}, "minor");
  }
  for (std::size_t i = 0; i < axis.ticks().size(); ++i) {
    const double y = axis.pixel(axis.ticks()[i]);
    canvas.line({area.left, y}, {area.right, y}, "grid");
    canvas.text({area.left - 8, y + 4}, axis.labels()[i], "tick", Anchor::end);
  }
}

void draw_x_axis(const Axis& axis, const PlotArea& area, Canvas& canvas) {
  for (const double value : minor_values(axis)) {
    canvas.line({axis.pixel(value), area.top}, {axis.pixel(value), area.bottom}, "minor");
  }
  for (std::size_t i = 0; i < axis.ticks().size(); ++i) {
    const double x = axis.pixel(axis.ticks()[i]);
    canvas.line({x, area.top}, {x, area.bottom}, "grid");
    canvas.text({x, area.bottom + 18}, axis.labels()[i], "tick", Anchor::middle);
  }
}

void draw_x_label(const std::string& label, const PlotArea& area, Canvas& canvas) {
  if (label.empty()) return;
  const std::string text = shorten(label, kFontSize, area.right - area.left);
  canvas.text({(area.left + area.right) / 2, area.bottom + 38}, text, "axis", Anchor::middle);
}

std::size_t horizontal_ticks(double length) {
  return static_cast<std::size_t>(std::clamp(length / 64, 3.0, 11.0));
}
std::size_t vertical_ticks(double length) {
  return static_cast<std::size_t>(std::clamp(length / 40, 3.0, 9.0));
}

double widest(std::span<const std::string> texts) {
  double width = 0;
  for (const std::string& text : texts) width = std::max(width, text_width(text, kFontSize));
  return width;
}

std::string svg_element(const Figure& figure, double width, double height,
                        const std::string& body) {
  const std::string title = escape_markup(figure.title);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"" + title +
         "\" viewBox=\"0 0 " + coordinate(width) + " " + coordinate(height) + "\" width=\"" +
         coordinate(width) + "\" height=\"" + coordinate(height) + "\">\n<title>" + title +
         "</title>\n<desc>" + escape_markup(description(figure)) + "</desc>\n" + body + "</svg>\n";
}

std::string figure_svg(const Figure& figure, double width) {
  return figure.kind == FigureKind::bar ? bar_figure_svg(figure, width)
                                        : xy_figure_svg(figure, width);
}

}  // namespace frugal
