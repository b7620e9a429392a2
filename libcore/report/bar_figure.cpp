#include <algorithm>
#include <cmath>

#include "libcore/report/figure_parts.h"
#include "libcore/report/markup.h"

namespace frugal {
namespace {

constexpr double kBar = 18;       // thickness
constexpr double kBarGap = 2;     // between the bars of a category
constexpr double kGroupGap = 12;  // between categories

struct BarLayout {
  std::vector<std::string> categories;
  PlotArea area;
  Axis axis;
  double group = 0;  // height of a category with its gap
};

double value_at(const std::vector<double>& values, std::size_t i) {
  return i < values.size() ? values[i] : std::nan("");
}

std::string category_of(const Figure& figure, std::size_t i) {
  const std::vector<std::string>& labels = figure.series[0].labels;
  return i < labels.size() ? labels[i] : std::to_string(i + 1);
}

std::size_t category_count(const Figure& figure) {
  std::size_t count = 0;
  for (const Series& series : figure.series) count = std::max(count, series.y.size());
  return count;
}

/// Bars stand on 0; on a log axis on the tick below the smallest.
AxisRange bar_range(const Figure& figure, std::size_t max_ticks) {
  std::vector<double> values;
  if (!figure.log_y) values.push_back(0);
  for (const Series& series : figure.series) {
    for (const auto* list : {&series.y, &series.low, &series.high}) {
      values.insert(values.end(), list->begin(), list->end());
    }
  }
  for (const ReferenceLine& line : figure.references) values.push_back(line.value);
  AxisRange range = range_of(values, figure.log_y).value_or(AxisRange{0, 1, false});
  range.whole = false;  // 100 % is no count
  if (!range.log && values.size() > 1 && range.low < 0 && range.high <= 0) range.high = 0;
  range = widened(range, max_ticks);
  const auto smallest = range_of(values, true);
  if (range.log && smallest && smallest->low <= range.low) range.low /= 2;
  return range;
}

std::vector<LegendEntry> bar_legend(const Figure& figure) {
  std::vector<LegendEntry> entries;
  if (figure.series.size() < 2) return entries;
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    entries.push_back({figure.series[s].name, s, LegendEntry::Sample::bar, ""});
  }
  return entries;
}

/// Room right of the bars for the longest value written at a bar's end.
double value_room(const Figure& figure) {
  double room = 16;
  for (const Series& series : figure.series) {
    for (const double y : series.y) {
      room = std::max(room, text_width(short_number(y), kFontSize) + 12);
    }
  }
  return room;
}

BarLayout lay_out(const Figure& figure, double width) {
  BarLayout layout;
  const double label_room = width * 0.36;
  for (std::size_t i = 0; i < category_count(figure); ++i) {
    layout.categories.push_back(shorten(category_of(figure, i), kFontSize, label_room));
  }
  const auto bars = static_cast<double>(figure.series.size());
  layout.group = bars * kBar + (bars - 1) * kBarGap + kGroupGap;
  PlotArea& area = layout.area;
  area.left = widest(layout.categories) + 12;
  area.right = width - value_room(figure);
  area.top = draw_legend(bar_legend(figure), 0, width, 0, nullptr) + 4;
  const bool reference_label = std::any_of(figure.references.begin(), figure.references.end(),
                                           [](const ReferenceLine& r) { return !r.label.empty(); });
  if (reference_label) area.top += 18;
  area.bottom = area.top + layout.group * static_cast<double>(layout.categories.size());
  const std::size_t ticks = horizontal_ticks(area.right - area.left);
  layout.axis = Axis(bar_range(figure, ticks), area.left, area.right, ticks);
  return layout;
}

std::string bar_class(const Figure& figure, std::size_t series, std::size_t category) {
  const bool plain = figure.emphasis.empty() || figure.series.size() > 1;
  const bool stands_out = plain || category_of(figure, category) == figure.emphasis;
  return stands_out ? series_class(series) : "muted";
}

void draw_bar(const Figure& figure, const BarLayout& layout, std::size_t s, std::size_t i,
              Canvas& canvas) {
  const Series& series = figure.series[s];
  const double value = value_at(series.y, i);
  if (!is_drawable(value, figure.log_y)) return;
  const Axis& axis = layout.axis;
  const double base = figure.log_y ? axis.start() : axis.pixel(0);
  const double top = layout.area.top + layout.group * static_cast<double>(i) + kGroupGap / 2 +
                     (kBar + kBarGap) * static_cast<double>(s);
  const double x = axis.pixel(value);
  std::string tip = category_of(figure, i) + ": " + short_number(value);
  if (!series.name.empty()) tip = series.name + ", " + tip;
  canvas.open_group(bar_class(figure, s, i));
  canvas.rectangle({std::min(base, x), top}, std::abs(x - base), kBar, "bar", tip);
  canvas.close_group();
  double end = std::max(base, x);
  const double low = value_at(series.low, i), high = value_at(series.high, i);
  if (is_drawable(low, figure.log_y) && is_drawable(high, figure.log_y)) {
    const double middle = top + kBar / 2;
    canvas.line({axis.pixel(low), middle}, {axis.pixel(high), middle}, "error");
    canvas.line({axis.pixel(low), middle - 4}, {axis.pixel(low), middle + 4}, "error");
    canvas.line({axis.pixel(high), middle - 4}, {axis.pixel(high), middle + 4}, "error");
    end = std::max(end, axis.pixel(high));
  }
  canvas.text({end + 6, top + kBar / 2 + 4}, short_number(value), "value");
}

void draw_bar_references(const Figure& figure, const BarLayout& layout, Canvas& canvas) {
  for (const ReferenceLine& line : figure.references) {
    if (!is_drawable(line.value, figure.log_y)) continue;
    const double x = layout.axis.pixel(line.value);
    canvas.line({x, layout.area.top}, {x, layout.area.bottom}, "reference");
    const bool right = x > (layout.area.left + layout.area.right) / 2;
    canvas.text({x, layout.area.top - 6}, line.label, "tick", right ? Anchor::end : Anchor::start);
  }
}

}  // namespace

std::string bar_figure_svg(const Figure& figure, double width) {
  Canvas canvas;
  if (figure.series.empty() || category_count(figure) == 0) {
    canvas.text({width / 2, 40}, "no values", "axis", Anchor::middle);
    return svg_element(figure, width, 80, canvas.str());
  }
  const BarLayout layout = lay_out(figure, width);
  draw_legend(bar_legend(figure), 0, width, 0, &canvas);
  draw_x_axis(layout.axis, layout.area, canvas);
  for (std::size_t i = 0; i < layout.categories.size(); ++i) {
    const double middle = layout.area.top + layout.group * (static_cast<double>(i) + 0.5);
    const bool stands_out = category_of(figure, i) == figure.emphasis;
    canvas.text({layout.area.left - 8, middle + 4}, layout.categories[i],
                stands_out ? "name strong" : "name", Anchor::end);
    for (std::size_t s = 0; s < figure.series.size(); ++s) draw_bar(figure, layout, s, i, canvas);
  }
  const double base = figure.log_y ? layout.axis.start() : layout.axis.pixel(0);
  canvas.line({base, layout.area.top}, {base, layout.area.bottom}, "base");
  draw_bar_references(figure, layout, canvas);
  draw_x_label(figure.y_label, layout.area, canvas);
  const double height = layout.area.bottom + (figure.y_label.empty() ? 26 : 46);
  return svg_element(figure, width, height, canvas.str());
}

}  // namespace frugal
