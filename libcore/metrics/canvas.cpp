#include "libcore/metrics/canvas.h"

#include <array>

#include "libcore/metrics/markup.h"

namespace frugal {
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

}  // namespace frugal
