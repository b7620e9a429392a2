#pragma once
#include <span>
#include <string>
#include <string_view>

#include "libcore/metrics/decimate.h"

namespace frugal {

inline constexpr double kFontSize = 12;

enum class Anchor { start, middle, end };

/// The body of an SVG element as text. Classes are those of the report's style sheet: s0 to s7 set
/// a series' colour.
class Canvas {
 public:
  void open_group(const std::string& css_class);
  void close_group() { body_ += "</g>\n"; }
  void line(Point from, Point to, std::string_view css_class);
  void polyline(std::span<const Point> points, std::string_view css_class);
  void polygon(std::span<const Point> points, std::string_view css_class);
  /// `tip` appears where the pointer rests.
  void rectangle(Point corner, double width, double height, std::string_view css_class,
                 const std::string& tip);
  /// Shape `index` modulo 4: disc, square, triangle, diamond.
  void marker(Point centre, std::size_t index, const std::string& tip);
  void text(Point at, const std::string& content, std::string_view css_class,
            Anchor anchor = Anchor::start);
  /// Turned by `degrees` (clockwise) around its beginning.
  void turned_text(Point at, double degrees, const std::string& content,
                   std::string_view css_class);
  const std::string& str() const { return body_; }

 private:
  void shape(std::string_view name, std::string_view css_class, std::span<const Point> points);
  std::string body_;
};

/// Class of series number i: its colour.
std::string series_class(std::size_t i);

}  // namespace frugal
