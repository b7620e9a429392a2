#include <algorithm>
#include <cmath>

#include "libcore/metrics/figure_parts.h"
#include "libcore/metrics/markup.h"

namespace frugal {
namespace {

constexpr double kLabelGap = 15;  // between baselines of labels that stand over each other

/// Where the names of lines stand: in the legend, at the lines' right ends, or along their
/// beginnings (straight lines that run together, as the roofs of a roofline do).
enum class Names { legend, ends, along };

struct XyLayout {
  PlotArea area;
  Axis x, y;
  Names names = Names::legend;
  std::vector<LegendEntry> legend;

  Point at(double x_value, double y_value) const { return {x.pixel(x_value), y.pixel(y_value)}; }
};

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
  if (!range.log && range.low > 0 && range.low < 0.35 * range.high) range.low = 0;
  return widened(range, max_ticks);
}

/// The drawable stretches of a series in pixels; what cannot be drawn is a gap.
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
    entries.push_back(
        {series.name, s, line ? LegendEntry::Sample::line : LegendEntry::Sample::marker});
  }
  return entries;
}

double end_name_room(const Figure& figure, double width) {
  double room = 0;
  for (const Series& series : figure.series) {
    if (is_line(figure, series)) room = std::max(room, text_width(series.name, kFontSize));
  }
  return std::min(room, width / 4) + 20;
}

XyLayout lay_out(const Figure& figure, double width) {
  XyLayout layout;
  layout.names = choose_names(figure, width);
  layout.legend = xy_legend(figure, layout.names);
  PlotArea& area = layout.area;
  area.top = draw_legend(layout.legend, 0, width, 0, nullptr) + (figure.y_label.empty() ? 8 : 26);
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
    if (has_band(figure, series, i)) {
      canvas.line({at.x, layout.y.pixel(series.low[i])}, {at.x, layout.y.pixel(series.high[i])},
                  "error");
    }
    canvas.marker(at, s, tip_of(series, i));
  }
}

/// Few points of a line are marked, so that their values can be asked for.
bool marks_points(const Series& series, const XyLayout& layout) {
  const double room = layout.area.right - layout.area.left;
  return size_of(series) > 4 && static_cast<double>(size_of(series)) * 18 < room;
}

void draw_line(const Figure& figure, const XyLayout& layout, std::size_t s, Canvas& canvas) {
  const Series& series = figure.series[s];
  draw_band(figure, layout, series, canvas);
  std::string css = "line";
  if (series.style == SeriesStyle::dashed) {
    css += " dash1";
  } else if (layout.names == Names::legend) {
    css += " dash" + std::to_string(s % 4);
  }
  for (const std::vector<Point>& stretch : stretches(figure, layout, series)) {
    if (stretch.size() == 1) {
      canvas.marker(stretch[0], s, "");
    } else {
      canvas.polyline(stretch, css);
    }
  }
  if (marks_points(series, layout)) draw_points(figure, layout, s, canvas);
}

struct EndName {
  double y = 0;
  std::size_t series = 0;
};

/// Moves the names apart, as little as their order allows, and keeps them within the figure.
void spread(std::vector<EndName>& names, const PlotArea& area) {
  std::sort(names.begin(), names.end(),
            [](const EndName& a, const EndName& b) { return a.y < b.y; });
  for (std::size_t i = 1; i < names.size(); ++i) {
    names[i].y = std::max(names[i].y, names[i - 1].y + kLabelGap);
  }
  double limit = area.bottom;
  for (std::size_t i = names.size(); i-- > 0; limit -= kLabelGap) {
    names[i].y = std::min(names[i].y, limit);
    limit = names[i].y;
  }
}

void draw_names_at_ends(const Figure& figure, const XyLayout& layout, Canvas& canvas) {
  std::vector<EndName> names;
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    if (!is_line(figure, figure.series[s])) continue;
    const auto lines = stretches(figure, layout, figure.series[s]);
    if (!lines.empty()) names.push_back({lines.back().back().y, s});
  }
  spread(names, layout.area);
  const double room = end_name_room(figure, layout.area.right) - 12;
  for (const EndName& name : names) {
    canvas.open_group(series_class(name.series));
    canvas.text({layout.area.right + 8, name.y + 4},
                shorten(figure.series[name.series].name, kFontSize, room), "direct");
    canvas.close_group();
  }
}

void draw_names_along(const Figure& figure, const XyLayout& layout, Canvas& canvas) {
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    if (!is_line(figure, figure.series[s])) continue;
    const auto lines = stretches(figure, layout, figure.series[s]);
    if (lines.empty() || lines[0].size() < 2) continue;
    const Point from = lines[0][0], to = lines[0][1];
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    const double cosine = (to.x - from.x) / length, sine = (to.y - from.y) / length;
    constexpr double kInset = 10, kAbove = 6, kDegrees = 180 / 3.14159265358979;
    canvas.open_group(series_class(s));
    canvas.turned_text(
        {from.x + kInset * cosine + kAbove * sine, from.y + kInset * sine - kAbove * cosine},
        std::atan2(sine, cosine) * kDegrees, shorten(figure.series[s].name, kFontSize, length - 20),
        "direct");
    canvas.close_group();
  }
}

void draw_references(const Figure& figure, const XyLayout& layout, Canvas& canvas) {
  const PlotArea& area = layout.area;
  for (const ReferenceLine& line : figure.references) {
    if (!is_drawable(line.value, line.vertical ? figure.log_x : figure.log_y)) continue;
    if (line.vertical) {
      const double x = layout.x.pixel(line.value);
      canvas.line({x, area.top}, {x, area.bottom}, "reference");
      const bool right = x > (area.left + area.right) / 2;
      canvas.text({right ? x - 5 : x + 5, area.bottom - 8}, line.label, "note",
                  right ? Anchor::end : Anchor::start);
    } else {
      const double y = layout.y.pixel(line.value);
      canvas.line({area.left, y}, {area.right, y}, "reference");
      canvas.text({area.right - 4, y - 5}, line.label, "note", Anchor::end);
    }
  }
}

struct Box {
  double left, top, right, bottom;
  bool meets(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

/// Labels of points: right of the point, else left, above or below, where it covers no other label
/// and no point; where nothing fits only the tool tip has it.
class PointLabels {
 public:
  PointLabels(const XyLayout& layout, Canvas& canvas) : layout_(layout), canvas_(canvas) {}

  void reserve(Point at) { taken_.push_back({at.x - 5, at.y - 5, at.x + 5, at.y + 5}); }

  void place(Point at, const std::string& label) {
    const double width = text_width(label, kFontSize - 1);
    for (const Point corner :
         {Point{at.x + 8, at.y - 6}, Point{at.x - 8 - width, at.y - 6},
          Point{at.x - width / 2, at.y - 20}, Point{at.x - width / 2, at.y + 7}}) {
      const Box box{corner.x, corner.y, corner.x + width, corner.y + 12};
      if (!is_free(box)) continue;
      taken_.push_back(box);
      canvas_.text({box.left, box.bottom - 2}, label, "point");
      return;
    }
  }

 private:
  bool is_free(const Box& box) const {
    const PlotArea& area = layout_.area;
    if (box.left < area.left || box.right > area.right + 16 || box.top < area.top) return false;
    if (box.bottom > area.bottom) return false;
    return std::none_of(taken_.begin(), taken_.end(),
                        [&](const Box& other) { return box.meets(other); });
  }

  const XyLayout& layout_;
  Canvas& canvas_;
  std::vector<Box> taken_;
};

void draw_point_labels(const Figure& figure, const XyLayout& layout, Canvas& canvas) {
  PointLabels labels(layout, canvas);
  for (const bool placing : {false, true}) {
    for (const Series& series : figure.series) {
      for (std::size_t i = 0; i < std::min(size_of(series), series.labels.size()); ++i) {
        if (!can_draw(figure, series, i)) continue;
        const Point at = layout.at(series.x[i], series.y[i]);
        if (placing) {
          labels.place(at, series.labels[i]);
        } else {
          labels.reserve(at);
        }
      }
    }
  }
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
  const XyLayout layout = lay_out(figure, width);
  const PlotArea& area = layout.area;
  draw_legend(layout.legend, 0, width, 0, &canvas);
  if (!figure.y_label.empty()) {
    canvas.text({0, area.top - 12}, shorten(figure.y_label, kFontSize, width), "axis");
  }
  draw_y_axis(layout.y, area, canvas);
  draw_x_axis(layout.x, area, canvas);
  canvas.line({area.left, area.bottom}, {area.right, area.bottom}, "base");
  draw_references(figure, layout, canvas);
  draw_series(figure, layout, canvas);
  if (layout.names == Names::ends) draw_names_at_ends(figure, layout, canvas);
  if (layout.names == Names::along) draw_names_along(figure, layout, canvas);
  draw_point_labels(figure, layout, canvas);
  draw_x_label(figure.x_label, area, canvas);
  return svg_element(figure, width, area.bottom + (figure.x_label.empty() ? 26 : 46), canvas.str());
}

}  // namespace frugal
