#pragma once
#include <span>
#include <string>
#include <vector>

#include "libcore/metrics/axis.h"
#include "libcore/metrics/canvas.h"
#include "libcore/metrics/report.h"

namespace frugal {

/// The inner rectangle of a figure, in pixels; y grows downward.
struct PlotArea {
  double left = 0;
  double right = 0;
  double top = 0;
  double bottom = 0;
};

/// One name of the legend and how its series is drawn.
struct LegendEntry {
  std::string name;
  std::size_t series = 0;
  enum class Sample { line, marker, bar } sample = Sample::line;
  std::string dash;  ///< " dash1": class of a line, with a space before it
};

/// Draws the entries in rows within [left, right], the first at `top`; returns the height taken.
/// With `canvas` null it only measures.
double draw_legend(std::span<const LegendEntry> entries, double left, double right, double top,
                   Canvas* canvas);

/// Grid lines and labels of a vertical axis on the left, or of a horizontal one at the bottom.
void draw_y_axis(const Axis& axis, const PlotArea& area, Canvas& canvas);
void draw_x_axis(const Axis& axis, const PlotArea& area, Canvas& canvas);

/// The horizontal axis' label under it.
void draw_x_label(const std::string& label, const PlotArea& area, Canvas& canvas);

/// How many ticks with labels of this kind find room on `length` pixels.
std::size_t horizontal_ticks(double length);
std::size_t vertical_ticks(double length);

double widest(std::span<const std::string> texts);

/// The whole element: title and description for those who cannot see it, and the body.
std::string svg_element(const Figure& figure, double width, double height, const std::string& body);

/// The two kinds of figures behind figure_svg().
std::string xy_figure_svg(const Figure& figure, double width);
std::string bar_figure_svg(const Figure& figure, double width);

}  // namespace frugal
