#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/report/axis.h"
#include "libcore/report/report.h"

namespace frugal {

/// A point in pixels.
struct Point {
  double x = 0;
  double y = 0;
};

/// Reduces a polyline to at most four points per pixel column: the first, lowest, highest and last
/// in each, in their order, so that peaks survive. Returns all points if x falls somewhere, or if
/// it would save nothing.
std::vector<Point> decimated(std::span<const Point> points);

inline constexpr double kFontSize = 12;

enum class Anchor { start, middle, end };

/// Builds the body of an SVG element as text. Classes are those of the report's style sheet: s0 to
/// s7 set the colour of a series.
class Canvas {
 public:
  void open_group(const std::string& css_class);
  void close_group() { body_ += "</g>\n"; }
  void line(Point from, Point to, std::string_view css_class);
  void polyline(std::span<const Point> points, std::string_view css_class);
  void polygon(std::span<const Point> points, std::string_view css_class);
  /// `tip` appears under the pointer.
  void rectangle(Point corner, double width, double height, std::string_view css_class,
                 const std::string& tip);
  /// Shape `index` modulo 4: disc, square, triangle, diamond.
  void marker(Point centre, std::size_t index, const std::string& tip);
  void text(Point at, const std::string& content, std::string_view css_class,
            Anchor anchor = Anchor::start);
  /// Text rotated by `degrees` (clockwise) around its beginning.
  void turned_text(Point at, double degrees, const std::string& content,
                   std::string_view css_class);
  const std::string& str() const { return body_; }

 private:
  void shape(std::string_view name, std::string_view css_class, std::span<const Point> points);
  std::string body_;
};

/// Class that gives series number i its colour.
std::string series_class(std::size_t i);

/// The inner rectangle of a figure, in pixels; y grows downward.
struct PlotArea {
  double left = 0;
  double right = 0;
  double top = 0;
  double bottom = 0;
};

/// A name in the legend and the way its series is drawn.
struct LegendEntry {
  std::string name;
  std::size_t series = 0;
  enum class Sample { line, marker, bar } sample = Sample::line;
  std::string dash;  ///< " dash1": class of a line, with a space before it
};

/// Draws the entries in rows within [left, right], the first row at `top`. Returns the height used.
/// If `canvas` is null, it only measures.
double draw_legend(std::span<const LegendEntry> entries, double left, double right, double top,
                   Canvas* canvas);

/// Draws grid lines and labels of a vertical axis on the left, or of a horizontal one at the
/// bottom.
void draw_y_axis(const Axis& axis, const PlotArea& area, Canvas& canvas);
void draw_x_axis(const Axis& axis, const PlotArea& area, Canvas& canvas);

/// Draws the label of the horizontal axis below it.
void draw_x_label(const std::string& label, const PlotArea& area, Canvas& canvas);

/// Number of labelled ticks that fit into `length` pixels.
std::size_t horizontal_ticks(double length);
std::size_t vertical_ticks(double length);

double widest(std::span<const std::string> texts);

/// A whole SVG element: title and description for readers who cannot see it, and the body.
std::string svg_element(const Figure& figure, double width, double height, const std::string& body);

/// The two kinds of figures that figure_svg() chooses from.
std::string xy_figure_svg(const Figure& figure, double width);
std::string bar_figure_svg(const Figure& figure, double width);

}  // namespace frugal
