#pragma once
#include <string>
#include <vector>

#include "libcore/report/axis.h"
#include "libcore/report/figure_parts.h"
#include "libcore/report/report.h"

namespace frugal {

/// Position of the names of lines: in the legend, at the lines' right ends, or along their
/// beginnings (for straight lines that converge, such as the roofs of a roofline).
enum class Names { legend, ends, along };

/// Positions of all parts of a line or scatter figure.
struct XyLayout {
  PlotArea area;
  Axis x, y;
  Names names = Names::legend;
  std::vector<LegendEntry> legend;

  Point at(double x_value, double y_value) const { return {x.pixel(x_value), y.pixel(y_value)}; }
};

XyLayout lay_out_xy(const Figure& figure, double width);

bool is_line(const Figure& figure, const Series& series);
/// Number of points of a series.
std::size_t size_of(const Series& series);
/// Whether point i, or its band or error bar, can be drawn on the axes.
bool can_draw(const Figure& figure, const Series& series, std::size_t i);
bool has_band(const Figure& figure, const Series& series, std::size_t i);

/// Width in pixels that the names at the ends of lines take from a figure.
double end_name_room(const Figure& figure, double width);

/// Class that dashes a line: if the caller asks for it, or if a legend distinguishes more lines
/// than colour alone can for every reader.
std::string dash_class(const Figure& figure, std::size_t s, Names names);

/// The drawable segments of a series in pixels, decimated. Points that cannot be drawn leave a gap.
std::vector<std::vector<Point>> stretches(const Figure& figure, const XyLayout& layout,
                                          const Series& series);

/// Draws names of lines, reference lines, and labels of points.
void draw_annotations(const Figure& figure, const XyLayout& layout, Canvas& canvas);

}  // namespace frugal
