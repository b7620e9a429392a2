// Adds figures and tables of a benchmark script to an HTML report, as the tools' --report-append
// does:
//   bench_report PAGE < run.json
// run.json: {"title": ..., "command": ..., "figures": [{"title", "caption", "x_label", "y_label",
// "log_x", "kind": "line|scatter|bar", "series": [{"name", "x", "y", "labels",
// "points": true}]}], "tables":
// [{"title", "columns", "rows"}]}; what a figure does not need may be left out.
#include <cstdio>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/report/report.h"

namespace frugal::bench {
namespace {

using nlohmann::json;

FigureKind kind_of(const std::string& name) {
  if (name == "line") return FigureKind::line;
  if (name == "scatter") return FigureKind::scatter;
  if (name == "bar") return FigureKind::bar;
  fail(ExitStatus::bad_input, "kind: expected line, scatter or bar, found ", name);
}

Series series_of(const json& value) {
  Series series;
  series.name = value.value("name", "");
  series.x = value.value("x", std::vector<double>());
  series.y = value.at("y").get<std::vector<double>>();
  if (value.value("points", false)) series.style = SeriesStyle::points;
  series.labels = value.value("labels", std::vector<std::string>());
  return series;
}

Figure figure_of(const json& value) {
  Figure figure;
  figure.title = value.at("title").get<std::string>();
  figure.caption = value.value("caption", "");
  figure.kind = kind_of(value.value("kind", "line"));
  figure.x_label = value.value("x_label", "");
  figure.y_label = value.value("y_label", "");
  figure.log_x = value.value("log_x", false);
  for (const json& series : value.at("series")) figure.series.push_back(series_of(series));
  return figure;
}

void append(const char* page, const json& run) {
  Report report(run.at("title").get<std::string>());
  for (const json& figure : run.value("figures", json::array())) {
    report.add_figure(figure_of(figure));
  }
  for (const json& table : run.value("tables", json::array())) {
    report.add_table({table.value("title", ""), table.at("columns").get<std::vector<std::string>>(),
                      table.at("rows").get<std::vector<std::vector<std::string>>>()});
  }
  report.set_origin(run.value("command", ""), "");
  report.append_to(page);
}

}  // namespace
}  // namespace frugal::bench

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: bench_report PAGE < run.json\n", stderr);
    return 2;
  }
  try {
    frugal::bench::append(argv[1], nlohmann::json::parse(std::cin));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_report: error: %s\n", error.what());
    return 65;
  }
}
