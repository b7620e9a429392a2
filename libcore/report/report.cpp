#include "libcore/report/report.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/metrics/run_log.h"
#include "libcore/report/markup.h"
#include "libcore/system/file_lock.h"
#include "libcore/system/output_file.h"
#include "libcore/system/output_paths.h"

namespace frugal {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kWide = 784;    // the column of a page on a desk
constexpr double kNarrow = 360;  // on a phone, where the wide drawing's text would be too small

std::string element(const std::string& name, const std::string& text) {
  return "<" + name + ">" + escape_markup(text) + "</" + name + ">\n";
}

/// JSON inside a script element must not hold "</script" or "<!--".
std::string embedded(const Json& json) {
  std::string out;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

const char* kind_name(FigureKind kind) {
  switch (kind) {
    case FigureKind::line: return "line";
    case FigureKind::scatter: return "scatter";
    case FigureKind::bar: return "bar";
  }
  return "";
}

Json series_json(const Series& series) {
  Json json{{"name", series.name}};
  if (!series.x.empty()) json["x"] = series.x;
  json["y"] = series.y;
  if (!series.low.empty()) json["low"] = series.low;
  if (!series.high.empty()) json["high"] = series.high;
  if (!series.labels.empty()) json["labels"] = series.labels;
  return json;
}

Json figure_json(const Figure& figure) {
  Json json{{"figure", figure.title},
            {"kind", kind_name(figure.kind)},
            {"x", figure.x_label},
            {"y", figure.y_label},
            {"series", Json::array()}};
  for (const Series& series : figure.series) json["series"].push_back(series_json(series));
  return json;
}

/// The SVG with a class that the style sheet shows at one width of the window only.
std::string sized_svg(const Figure& figure, double width, const std::string& css_class) {
  return "<svg class=\"" + css_class + "\"" + figure_svg(figure, width).substr(4);
}

/// "93.4", "-1.5e-3", "+12 %", "1.5 KiB", "3x": begins with a digit behind a sign.
bool looks_like_number(const std::string& text) {
  std::size_t i = text.find_first_not_of("+-~<>=. ");
  if (text.starts_with("\xe2\x88\x92") || text.starts_with("\xc2\xb1")) {
    i = text.find_first_of("0123456789");
  }
  return i != std::string::npos && text[i] >= '0' && text[i] <= '9';
}

/// Whether a column holds numbers, or nothing, in every row.
bool is_number_column(const Table& table, std::size_t column) {
  bool any = false;
  for (const auto& row : table.rows) {
    if (column >= row.size() || row[column].empty() || row[column] == "-") continue;
    if (!looks_like_number(row[column])) return false;
    any = true;
  }
  return any;
}

std::string table_row(const std::vector<std::string>& cells, const std::vector<bool>& numbers,
                      const std::string& tag) {
  std::string out = "<tr>";
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    out.append("<").append(tag).append(tag == "th" ? " scope=\"col\"" : "");
    out.append(numbers[i] ? " class=\"number\">" : ">");
    if (i < cells.size()) out += escape_markup(cells[i]);
    out.append("</").append(tag).append(">");
  }
  return out + "</tr>\n";
}

std::string table_html(const Table& table) {
  std::size_t columns = table.columns.size();
  for (const auto& row : table.rows) columns = std::max(columns, row.size());
  std::vector<bool> numbers(columns);
  for (std::size_t i = 0; i < columns; ++i) numbers[i] = is_number_column(table, i);
  std::string out = "<div class=\"table\">\n";
  if (!table.title.empty()) out += element("h3", table.title);
  out += "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" +
         escape_markup(table.title) + "\"><table>\n<thead>" +
         table_row(table.columns, numbers, "th") + "</thead>\n<tbody>\n";
  for (const auto& row : table.rows) out += table_row(row, numbers, "td");
  return out + "</tbody>\n</table></div>\n</div>\n";
}

}  // namespace

Series over_epochs(const std::string& name, const RunLog& log, std::string_view values) {
  Series series;
  series.name = name;
  const auto epochs = log.series("epoch");
  const auto points = log.series(values);
  for (std::size_t i = 0; i < std::min(epochs.size(), points.size()); ++i) {
    series.x.push_back(epochs[i].second);
    series.y.push_back(points[i].second);
  }
  return series;
}

Figure epoch_figure(const std::string& title, const std::string& y_label,
                    std::vector<Series> series, const std::string& caption) {
  Figure figure;
  figure.title = title;
  figure.caption = caption;
  figure.x_label = "epoch";
  figure.y_label = y_label;
  figure.series = std::move(series);
  return figure;
}

void Report::add_text(const std::string& paragraph) {
  parts_.push_back({"", element("p", paragraph), ""});
}

void Report::add_key_figures(const std::vector<std::pair<std::string, std::string>>& figures) {
  std::string out = "<dl class=\"figures\">\n";
  for (const auto& [name, value] : figures) {
    out += "<div><dt>" + escape_markup(name) + "</dt><dd>" + escape_markup(value) + "</dd></div>\n";
  }
  parts_.push_back({"", out + "</dl>\n", ""});
}

void Report::add_table(const Table& table) {
  const Json json{{"table", table.title}, {"columns", table.columns}, {"rows", table.rows}};
  parts_.push_back({table.title, table_html(table), embedded(json)});
}

namespace {

/// Returns "Loss: training 0.41, validation 0.52 (epoch 1)." for lines and points of one position,
/// which a drawing would show as dots; "" for all other figures.
std::string single_point_text(const Figure& figure) {
  constexpr int kDigits = 4;
  if (figure.kind == FigureKind::bar || figure.series.empty()) return "";
  std::string text;
  for (const Series& series : figure.series) {
    const bool one = series.x.size() == 1 && series.y.size() == 1 && std::isfinite(series.y[0]) &&
                     series.labels.empty() && series.x[0] == figure.series[0].x[0];
    if (!one) return "";
    text += (text.empty() ? figure.title + ": " : ", ") + series.name + " " +
            format_number(series.y[0], kDigits);
  }
  return text + " (" + figure.x_label + " " + format_number(figure.series[0].x[0], kDigits) + ").";
}

}  // namespace

void Report::add_figure(const Figure& figure) {
  if (const std::string text = single_point_text(figure); !text.empty()) {
    parts_.push_back({"", element("p", text), embedded(figure_json(figure))});
    return;
  }
  std::string out = "<figure>\n" + element("h3", figure.title) + sized_svg(figure, kWide, "wide") +
                    sized_svg(figure, kNarrow, "narrow");
  if (!figure.caption.empty()) out += element("figcaption", figure.caption);
  parts_.push_back({figure.title, out + "</figure>\n", embedded(figure_json(figure))});
}

void Report::set_origin(std::string command, std::string config) {
  command_ = std::move(command);
  config_ = std::move(config);
}

namespace {

/// <h3> with the id that links go to.
std::string with_id(const std::string& html, const std::string& id) {
  std::string out = html;
  const std::size_t heading = out.find("<h3>");
  return heading == std::string::npos ? out : out.insert(heading + 3, " id=\"" + id + "\"");
}

Json summary_json(const std::string& title, const RunSummary& summary) {
  return {{"run", title},
          {"model", summary.model},
          {"data", summary.data},
          {"result", summary.result},
          {"baseline", summary.baseline},
          {"time", summary.time},
          {"speed", summary.speed},
          {"machine", summary.machine}};
}

}  // namespace

RunSection Report::section(std::size_t number) const {
  RunSection section{title_, summary_, {}, {}, embedded(summary_json(title_, summary_))};
  const std::string id = "run-" + std::to_string(number);
  std::string& out = section.article;
  out = "<article id=\"" + id + "\">\n<header>" + element("h2", title_);
  if (!summary_.data.empty()) out += element("p", summary_.data);
  out += "</header>\n";
  for (const Part& part : parts_) {
    if (!part.json.empty()) section.data += ",\n" + part.json;
    if (part.heading.empty()) {
      out += part.html;
      continue;
    }
    const std::string part_id = id + "-" + std::to_string(section.headings.size() + 1);
    section.headings.push_back({part_id, part.heading});
    out += with_id(part.html, part_id);
  }
  if (!command_.empty() || !config_.empty()) {
    out += "<footer>\n";
    if (!command_.empty()) out += element("h3", "Command") + element("pre", command_);
    if (!config_.empty()) {
      out +=
          "<details><summary>Configuration</summary>\n" + element("pre", config_) + "</details>\n";
    }
    out += "</footer>\n";
  }
  out += "</article>\n";
  return section;
}

std::string Report::html() const {
  ReportPage page(title_);
  page.add(section(1));
  return page.html();
}

void Report::write(const std::string& path) const {
  const FileLock lock(path, FileLock::IfHeld::wait);
  write_file(path, html());
}

void Report::append_to(const std::string& path) const {
  const FileLock lock(path, FileLock::IfHeld::wait);  // other jobs add to the page, too
  if (is_missing(path)) return write_file(path, html());
  ReportPage page = ReportPage::read(path);
  page.add(section(page.next_run()));
  write_file(path, page.html());
}

std::string format_rate(double per_second, std::string_view what) {
  constexpr int kRateDigits = 3;
  std::string number = format_number(per_second, kRateDigits);
  if (per_second >= 999.5) {
    const double step = std::pow(10, std::floor(std::log10(per_second)) - (kRateDigits - 1));
    number = std::to_string(static_cast<std::uint64_t>(std::round(per_second / step) * step));
    for (std::size_t at = number.size(); at > 3; number.insert(at, ",")) at -= 3;
  }
  return number + ' ' + std::string(what) + "/s";
}

}  // namespace frugal
