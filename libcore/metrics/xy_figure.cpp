#include <algorithm>

#include "libcore/metrics/markup.h"
#include "libcore/metrics/xy_layout.h"

namespace frugal {
namespace {

void draw_band(const Figure& figure, const XyLayout& layout, const Series& series, Canvas& canvas) {
  std::vector<Point> low, high;
  for (std::size_t i = 0; i < size_of(series); ++i) {
    if (!has_band(figure, series, i)) continue;
    low.push_back(layout.at(series.x[i], series.low[i]));
    high.push_back(layout.at(series.x[i], series.high[i]));
  }
  if (low.size() < 2) return;
  std::vector<Point> outline = decimated(high);
  const std::vector<Point> lower = decimated(low);
  outline.insert(outline.end(), lower.rbegin(), lower.rend());
  canvas.polygon(outline, "band");
}

std::string tip_of(const Series& series, std::size_t i) {
  std::string tip = series.name;
  if (i < series.labels.size()) tip += (tip.empty() ? "" : ", ") + series.labels[i];
  return tip + (tip.empty() ? "" : ": ") + short_number(series.x[i]) + ", " +
         short_number(series.y[i]);
}

void draw_points(const Figure& figure, const XyLayout& layout, std::size_t s, Canvas& canvas) {
  const Series& series = figure.series[s];
  for (std::size_t i = 0; i < size_of(series); ++i) {
    if (!can_draw(figure, series, i)) continue;
    const Point at = layout.at(series.x[i], series.y[i]);
    if (!is_line(figure, series) && has_band(figure, series, i)) {
      canvas.line({at.x, layout.y.pixel(series.low[i])}, {at.x, layout.y.pixel(series.high[i])},
                  "error");
    }
    canvas.marker(at, s, tip_of(series, i));
  }
}

/// Few points of a line are marked, so that their values can be asked for.
bool marks_points(const Series& series, const XyLayout& layout) {
  const double room = layout.area.right - layout.area.left;
  return layout.names != Names::along && static_cast<double>(size_of(series)) * 18 < room;
}

void draw_line(const Figure& figure, const XyLayout& layout, std::size_t s, Canvas& canvas) {
  const Series& series = figure.series[s];
  draw_band(figure, layout, series, canvas);
  const std::string css = "line" + dash_class(figure, s, layout.names);
  for (const std::vector<Point>& stretch : stretches(figure, layout, series)) {
    if (stretch.size() == 1) {
      canvas.marker(stretch[0], s, "");
    } else {
      canvas.polyline(stretch, css);
    }
  }
  if (marks_points(series, layout)) draw_points(figure, layout, s, canvas);
}

void draw_series(const Figure& figure, const XyLayout& layout, Canvas& canvas) {
  for (const bool lines : {true, false}) {
    for (std::size_t s = 0; s < figure.series.size(); ++s) {
      if (is_line(figure, figure.series[s]) != lines) continue;
      canvas.open_group(series_class(s));
      if (lines) {
        draw_line(figure, layout, s, canvas);
      } else {
        draw_points(figure, layout, s, canvas);
      }
      canvas.close_group();
    }
  }
}

bool has_values(const Figure& figure) {
  return std::any_of(figure.series.begin(), figure.series.end(), [&](const Series& series) {
    for (std::size_t i = 0; i < size_of(series); ++i) {
      if (can_draw(figure, series, i)) return true;
    }
    return false;
  });
}

}  // namespace

std::string xy_figure_svg(const Figure& figure, double width) {
  Canvas canvas;
  if (!has_values(figure)) {
    canvas.text({width / 2, 40}, "no values", "axis", Anchor::middle);
    return svg_element(figure, width, 80, canvas.str());
  }
  const XyLayout layout = lay_out_xy(figure, width);
  const PlotArea& area = layout.area;
  draw_legend(layout.legend, 0, width, 0, &canvas);
  if (!figure.y_label.empty()) {
    canvas.text({0, area.top - 14}, shorten(figure.y_label, kFontSize, width), "axis");
  }
  draw_y_axis(layout.y, area, canvas);
  draw_x_axis(layout.x, area, canvas);
  canvas.line({area.left, area.bottom}, {area.right, area.bottom}, "base");
  draw_series(figure, layout, canvas);
  draw_annotations(figure, layout, canvas);
  draw_x_label(figure.x_label, area, canvas);
  return svg_element(figure, width, area.bottom + (figure.x_label.empty() ? 26 : 46), canvas.str());
}

}  // namespace frugal
