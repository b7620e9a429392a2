#include <algorithm>
#include <cmath>

#include "libcore/report/markup.h"
#include "libcore/report/xy_layout.h"

namespace frugal {
namespace {

constexpr double kLabelGap = 15;  // between baselines of labels that stand over each other
constexpr double kNoteSize = 11;  // font size of notes and labels of points

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

  void reserve(const Box& box) { taken_.push_back(box); }

  void place(Point at, const std::string& label) {
    const double width = text_width(label, kNoteSize);
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

/// A note of at most the figure's width that begins or ends at `at`.
void draw_note(Point at, Anchor anchor, const std::string& text, const PlotArea& area,
               PointLabels& labels, Canvas& canvas) {
  const double room = anchor == Anchor::start ? area.right - at.x : at.x - area.left;
  const std::string note = shorten(text, kNoteSize, room);
  const double width = text_width(note, kNoteSize);
  const double left = anchor == Anchor::start ? at.x : at.x - width;
  labels.reserve({left, at.y - 10, left + width, at.y + 2});
  canvas.text(at, note, "note", anchor);
}

void draw_references(const Figure& figure, const XyLayout& layout, PointLabels& labels,
                     Canvas& canvas) {
  const PlotArea& area = layout.area;
  for (const ReferenceLine& line : figure.references) {
    if (!is_drawable(line.value, line.vertical ? figure.log_x : figure.log_y)) continue;
    if (line.vertical) {
      const double x = layout.x.pixel(line.value);
      canvas.line({x, area.top}, {x, area.bottom}, "reference");
      const bool right = x > (area.left + area.right) / 2;
      draw_note({right ? x - 5 : x + 5, area.top + 12}, right ? Anchor::end : Anchor::start,
                line.label, area, labels, canvas);
    } else {
      const double y = layout.y.pixel(line.value);
      canvas.line({area.left, y}, {area.right, y}, "reference");
      draw_note({area.right - 4, y - 5}, Anchor::end, line.label, area, labels, canvas);
    }
  }
}

/// All points first: a label must not cover one that comes later.
void draw_point_labels(const Figure& figure, const XyLayout& layout, PointLabels& labels) {
  constexpr double kReach = 5;
  for (const bool placing : {false, true}) {
    for (const Series& series : figure.series) {
      for (std::size_t i = 0; i < std::min(size_of(series), series.labels.size()); ++i) {
        if (!can_draw(figure, series, i)) continue;
        const Point at = layout.at(series.x[i], series.y[i]);
        if (placing) {
          labels.place(at, series.labels[i]);
        } else {
          labels.reserve({at.x - kReach, at.y - kReach, at.x + kReach, at.y + kReach});
        }
      }
    }
  }
}

}  // namespace

void draw_annotations(const Figure& figure, const XyLayout& layout, Canvas& canvas) {
  if (layout.names == Names::ends) draw_names_at_ends(figure, layout, canvas);
  if (layout.names == Names::along) draw_names_along(figure, layout, canvas);
  PointLabels labels(layout, canvas);
  draw_references(figure, layout, labels, canvas);
  draw_point_labels(figure, layout, labels);
}

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
