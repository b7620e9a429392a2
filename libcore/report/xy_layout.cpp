#include "libcore/report/xy_layout.h"

#include <algorithm>

#include "libcore/report/markup.h"

namespace frugal {
namespace {

AxisRange x_range(const Figure& figure, std::size_t max_ticks) {
  std::vector<double> values;
  bool points = false;
  for (const Series& series : figure.series) {
    points = points || !is_line(figure, series);
    for (std::size_t i = 0; i < size_of(series); ++i) {
      if (can_draw(figure, series, i)) values.push_back(series.x[i]);
    }
  }
  for (const ReferenceLine& line : figure.references) {
    if (line.vertical) values.push_back(line.value);
  }
  const AxisRange range = range_of(values, figure.log_x).value_or(AxisRange{});
  return points ? widened(range, max_ticks) : range;
}

/// Curves that come near 0 stand on it, so that their heights can be compared.
AxisRange y_range(const Figure& figure, std::size_t max_ticks) {
  std::vector<double> values;
  for (const Series& series : figure.series) {
    for (std::size_t i = 0; i < size_of(series); ++i) {
      if (can_draw(figure, series, i)) values.push_back(series.y[i]);
      if (!has_band(figure, series, i)) continue;
      values.push_back(series.low[i]);
      values.push_back(series.high[i]);
    }
  }
  for (const ReferenceLine& line : figure.references) {
    if (!line.vertical) values.push_back(line.value);
  }
  AxisRange range = range_of(values, figure.log_y).value_or(AxisRange{});
  range.whole = false;  // an accuracy of 1 is no count
  if (!range.log && range.low > 0 && range.low < 0.35 * range.high) range.low = 0;
  return widened(range, max_ticks);
}

/// Where names fit: a few lines get theirs beside them, which reads faster than a legend.
Names choose_names(const Figure& figure, double width) {
  std::size_t lines = 0;
  bool straight = true;
  std::vector<double> ends;
  for (const Series& series : figure.series) {
    if (!is_line(figure, series) || size_of(series) == 0) continue;
    ++lines;
    straight = straight && size_of(series) <= 4;
    ends.push_back(series.y[size_of(series) - 1]);
  }
  if (lines == 0 || lines > 6 || width < 500) return Names::legend;
  std::sort(ends.begin(), ends.end());
  const bool meet = std::adjacent_find(ends.begin(), ends.end()) != ends.end();
  return meet && straight ? Names::along : Names::ends;
}

std::vector<LegendEntry> xy_legend(const Figure& figure, Names names) {
  std::vector<LegendEntry> entries;
  if (figure.series.size() < 2 && names == Names::legend && figure.kind == FigureKind::scatter) {
    return entries;
  }
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    const Series& series = figure.series[s];
    const bool line = is_line(figure, series);
    if (series.name.empty() || (line && names != Names::legend)) continue;
    entries.push_back({series.name, s,
                       line ? LegendEntry::Sample::line : LegendEntry::Sample::marker,
                       dash_class(figure, s, names)});
  }
  return entries;
}

}  // namespace

bool is_line(const Figure& figure, const Series& series) {
  if (series.style == SeriesStyle::automatic) {
    return figure.kind == FigureKind::line && series.labels.empty();
  }
  return series.style != SeriesStyle::points;
}

std::size_t size_of(const Series& series) { return std::min(series.x.size(), series.y.size()); }

bool can_draw(const Figure& figure, const Series& series, std::size_t i) {
  return is_drawable(series.x[i], figure.log_x) && is_drawable(series.y[i], figure.log_y);
}

bool has_band(const Figure& figure, const Series& series, std::size_t i) {
  return i < series.low.size() && i < series.high.size() &&
         is_drawable(series.x[i], figure.log_x) && is_drawable(series.low[i], figure.log_y) &&
         is_drawable(series.high[i], figure.log_y);
}

double end_name_room(const Figure& figure, double width) {
  constexpr double kBold = 1.1;  // names beside lines are bold, which is wider
  double room = 0;
  for (const Series& series : figure.series) {
    if (is_line(figure, series)) room = std::max(room, kBold * text_width(series.name, kFontSize));
  }
  return std::min(room, width / 4) + 20;
}

std::string dash_class(const Figure& figure, std::size_t s, Names names) {
  if (figure.series[s].style == SeriesStyle::dashed) return " dash1";
  const auto lines = std::count_if(figure.series.begin(), figure.series.end(),
                                   [&](const Series& series) { return is_line(figure, series); });
  return names == Names::legend && lines > 2 ? " dash" + std::to_string(s % 4) : "";
}

std::vector<std::vector<Point>> stretches(const Figure& figure, const XyLayout& layout,
                                          const Series& series) {
  std::vector<std::vector<Point>> out;
  bool gap = true;
  for (std::size_t i = 0; i < size_of(series); ++i) {
    if (can_draw(figure, series, i)) {
      if (gap) out.emplace_back();
      out.back().push_back(layout.at(series.x[i], series.y[i]));
      gap = false;
    } else {
      gap = true;
    }
  }
  for (std::vector<Point>& stretch : out) stretch = decimated(stretch);
  return out;
}

XyLayout lay_out_xy(const Figure& figure, double width) {
  XyLayout layout;
  layout.names = choose_names(figure, width);
  layout.legend = xy_legend(figure, layout.names);
  PlotArea& area = layout.area;
  area.top = draw_legend(layout.legend, 0, width, 0, nullptr) + (figure.y_label.empty() ? 8 : 28);
  const double height = std::clamp(width * 0.42, 200.0, 330.0);
  area.bottom = area.top + height;
  const std::size_t y_ticks = vertical_ticks(height);
  layout.y = Axis(y_range(figure, y_ticks), area.bottom, area.top, y_ticks);
  area.left = widest(layout.y.labels()) + 10;
  area.right = width - (layout.names == Names::ends ? end_name_room(figure, width) : 20);
  const std::size_t x_ticks = horizontal_ticks(area.right - area.left);
  layout.x = Axis(x_range(figure, x_ticks), area.left, area.right, x_ticks);
  return layout;
}

}  // namespace frugal
