#pragma once
#include <string>
#include <vector>

#include "libcore/report/axis.h"
#include "libcore/report/figure_parts.h"
#include "libcore/report/report.h"

namespace frugal {

/// Where the names of lines stand: in the legend, at the lines' right ends, or along their
/// beginnings (straight lines that run together, as the roofs of a roofline do).
enum class Names { legend, ends, along };

/// Where everything of a line or scatter figure stands.
struct XyLayout {
  PlotArea area;
  Axis x, y;
  Names names = Names::legend;
  std::vector<LegendEntry> legend;

  Point at(double x_value, double y_value) const { return {x.pixel(x_value), y.pixel(y_value)}; }
};

XyLayout lay_out_xy(const Figure& figure, double width);

bool is_line(const Figure& figure, const Series& series);
/// Points of a series.
std::size_t size_of(const Series& series);
/// Whether point i, or its band or error bar, has a place on the axes.
bool can_draw(const Figure& figure, const Series& series, std::size_t i);
bool has_band(const Figure& figure, const Series& series, std::size_t i);

/// Width that the names at the ends of lines take from a figure.
double end_name_room(const Figure& figure, double width);

/// The class that dashes a line: where the caller asks for it, and where a legend has to tell more
/// lines apart than colour alone does for everybody.
std::string dash_class(const Figure& figure, std::size_t s, Names names);

/// The drawable stretches of a series in pixels, decimated; what cannot be drawn is a gap.
std::vector<std::vector<Point>> stretches(const Figure& figure, const XyLayout& layout,
                                          const Series& series);

/// Names of lines, reference lines and labels of points.
void draw_annotations(const Figure& figure, const XyLayout& layout, Canvas& canvas);

}  // namespace frugal
