#include "libcore/report/figure_parts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/report/markup.h"

namespace frugal {
namespace {

bool x_never_falls(std::span<const Point> points) {
  return std::is_sorted(points.begin(), points.end(),
                        [](const Point& a, const Point& b) { return a.x < b.x; });
}

void append_column(std::span<const Point> column, std::vector<Point>& out) {
  const auto lower = [](const Point& a, const Point& b) { return a.y < b.y; };
  const auto [low, high] = std::minmax_element(column.begin(), column.end(), lower);
  std::vector<std::size_t> kept{0, static_cast<std::size_t>(low - column.begin()),
                                static_cast<std::size_t>(high - column.begin()), column.size() - 1};
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  for (const std::size_t i : kept) out.push_back(column[i]);
}

}  // namespace

std::vector<Point> decimated(std::span<const Point> points) {
  if (!x_never_falls(points)) return {points.begin(), points.end()};
  std::vector<Point> out;
  for (std::size_t begin = 0; begin < points.size();) {
    const double column = std::floor(points[begin].x);
    std::size_t end = begin + 1;
    while (end < points.size() && std::floor(points[end].x) == column) ++end;
    append_column(points.subspan(begin, end - begin), out);
    begin = end;
  }
  return out;
}

namespace {

std::string attribute(std::string_view name, double value) {
  return " " + std::string(name) + "=\"" + coordinate(value) + "\"";
}

std::string class_attribute(std::string_view css_class) {
  return css_class.empty() ? "" : " class=\"" + std::string(css_class) + "\"";
}

std::string with_tip(std::string_view element, const std::string& tip) {
  if (tip.empty()) return "/>\n";
  return "><title>" + escape_markup(tip) + "</title></" + std::string(element) + ">\n";
}

/// Shapes of equal area around (0, 0), so that series differ without colour.
constexpr std::array<const char*, 4> kMarkers{"M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z",
                                              "M-4-4h8v8h-8z", "M0-5.4L5.2 3.8H-5.2z",
                                              "M0-5.6L5.6 0L0 5.6L-5.6 0z"};

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

std::string series_class(std::size_t i) { return "s" + std::to_string(i % 8); }

void Canvas::open_group(const std::string& css_class) {
  body_ += "<g" + class_attribute(css_class) + ">\n";
}

void Canvas::line(Point from, Point to, std::string_view css_class) {
  body_ += "<line" + class_attribute(css_class) + attribute("x1", from.x) +
           attribute("y1", from.y) + attribute("x2", to.x) + attribute("y2", to.y) + "/>\n";
}

void Canvas::shape(std::string_view name, std::string_view css_class,
                   std::span<const Point> points) {
  body_ += "<" + std::string(name) + class_attribute(css_class) + " points=\"";
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i != 0) body_ += ' ';
    body_ += coordinate(points[i].x) + "," + coordinate(points[i].y);
  }
  body_ += "\"/>\n";
}

void Canvas::polyline(std::span<const Point> points, std::string_view css_class) {
  shape("polyline", css_class, points);
}

void Canvas::polygon(std::span<const Point> points, std::string_view css_class) {
  shape("polygon", css_class, points);
}

void Canvas::rectangle(Point corner, double width, double height, std::string_view css_class,
                       const std::string& tip) {
  body_ += "<rect" + class_attribute(css_class) + attribute("x", corner.x) +
           attribute("y", corner.y) + attribute("width", width) + attribute("height", height) +
           with_tip("rect", tip);
}

void Canvas::marker(Point centre, std::size_t index, const std::string& tip) {
  body_ += "<path class=\"mark\" transform=\"translate(" + coordinate(centre.x) + " " +
           coordinate(centre.y) + ")\" d=\"" + kMarkers[index % kMarkers.size()] + "\"" +
           with_tip("path", tip);
}

void Canvas::text(Point at, const std::string& content, std::string_view css_class, Anchor anchor) {
  body_ += "<text" + class_attribute(css_class) + attribute("x", at.x) + attribute("y", at.y);
  if (anchor == Anchor::middle) body_ += " text-anchor=\"middle\"";
  if (anchor == Anchor::end) body_ += " text-anchor=\"end\"";
  body_ += ">" + escape_markup(content) + "</text>\n";
}

void Canvas::turned_text(Point at, double degrees, const std::string& content,
                         std::string_view css_class) {
  body_ += "<text" + class_attribute(css_class) + " transform=\"translate(" + coordinate(at.x) +
           " " + coordinate(at.y) + ") rotate(" + coordinate(degrees) + ")\">" +
           escape_markup(content) + "</text>\n";
}

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
