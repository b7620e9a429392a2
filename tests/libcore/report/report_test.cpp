#include "libcore/report/report.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "libcore/base/error.h"

using namespace frugal;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

nlohmann::json embedded_data(const std::string& html) {
  const std::string open = "id=\"data\">";
  const std::size_t begin = html.find(open) + open.size();
  return nlohmann::json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

Series line(const std::string& name, std::vector<double> y) {
  Series series;
  series.name = name;
  for (std::size_t i = 0; i < y.size(); ++i) series.x.push_back(static_cast<double>(i));
  series.y = std::move(y);
  return series;
}

Figure line_figure(std::vector<Series> series) {
  Figure figure;
  figure.title = "t";
  figure.series = std::move(series);
  return figure;
}

}  // namespace

TEST_CASE("the numbers of figures and tables are in the page, exactly") {
  Report report("title");
  Figure figure = line_figure({line("loss", {0.1 + 0.2, 1e-17, std::nan("")})});
  figure.series[0].low = {0, 0, 0};
  report.add_figure(figure);
  report.add_table({"results", {"a", "b"}, {{"1", "</script>"}}});
  const auto data = embedded_data(report.html());
  CHECK(data[0]["run"] == "title");
  CHECK(data[1]["figure"] == "t");
  CHECK(data[1]["series"][0]["y"][0] == 0.1 + 0.2);
  CHECK(data[1]["series"][0]["y"][1] == 1e-17);
  CHECK(data[1]["series"][0]["y"][2].is_null());
  CHECK(data[2]["rows"][0][1] == "</script>");
}

TEST_CASE("a few lines are named beside them, many in a legend") {
  const std::string few =
      figure_svg(line_figure({line("first", {1, 2, 3, 4, 5}), line("second", {2, 3, 4, 5, 7})}));
  CHECK(count(few, "class=\"direct\"") == 2);
  std::vector<Series> many;
  for (int i = 0; i < 8; ++i)
    many.push_back(line("line " + std::to_string(i), {1, 2, 3, 4, 5.0 + i}));
  const std::string legend = figure_svg(line_figure(many));
  CHECK(count(legend, "class=\"direct\"") == 0);
  CHECK(count(legend, "class=\"name\"") == 8);
}

TEST_CASE("both axes have their numbers beside them") {
  const std::string svg = figure_svg(line_figure({line("loss", {2000, 4000, 6000})}));
  for (const std::string number : {"2000", "4000", "6000"}) {
    CHECK(count(svg, "text-anchor=\"end\">" + number + "<") == 1);
  }
}

TEST_CASE("a value that cannot be drawn is a gap") {
  const std::string svg =
      figure_svg(line_figure({line("gap", {1, 2, std::nan(""), 3, 4, INFINITY, 5, 6})}));
  CHECK(count(svg, "<polyline") == 3);
  Figure log = line_figure({line("gap", {1, 2, 0, 3, 4})});
  log.log_y = true;
  CHECK(count(figure_svg(log), "<polyline") == 2);
}

TEST_CASE("figures in a file of their own need no style sheet and no variables") {
  std::vector<Figure> figures = {line_figure({line("first", {1, 2, 3})}),
                                 line_figure({line("second", {3, 2, 1})})};
  figures[1].title = "a & b";
  const std::string svg = figures_file(figures);
  CHECK(svg.starts_with("<svg xmlns="));
  CHECK(count(svg, "<svg ") == 3);
  CHECK(count(svg, "</svg>") == 3);
  CHECK(svg.find("var(") == std::string::npos);
  CHECK(svg.find(">a &amp; b</text>") != std::string::npos);
  CHECK(svg.find(".s0 .line { fill: none; stroke: #1f6cb0;") != std::string::npos);
  CHECK(svg.find(".s1 .mark { fill: #cf5a00; stroke: #ffffff;") != std::string::npos);
  // Each stands below the one before, all within the file's height.
  const std::string one = figures_file(std::span(figures).first(1));
  const auto height = [](const std::string& text) {
    return std::stod(text.substr(text.find(" height=\"") + 9));
  };
  const std::size_t second = svg.rfind("<svg ");
  CHECK(std::stod(svg.substr(svg.find(" y=\"", second) + 4)) > height(one));
  CHECK(height(svg) > height(one) + 100);
}

TEST_CASE("a long curve costs a few points a pixel") {
  std::vector<double> y(200000);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = std::sin(static_cast<double>(i));
  CHECK(figure_svg(line_figure({line("long", y)})).size() < 60000);
}

TEST_CASE("columns of numbers are flush right") {
  Report report("t");
  report.add_table({"", {"name", "value"}, {{"1a: x", "1.5 s"}, {"b", "-3"}, {"c", ""}}});
  const std::string html = report.html();
  CHECK(count(html, "<td class=\"number\">") == 3);
  CHECK(html.find("<td class=\"number\">1a") == std::string::npos);
}

TEST_CASE("a figure without values says so") {
  for (const FigureKind kind : {FigureKind::line, FigureKind::scatter, FigureKind::bar}) {
    Figure figure;
    figure.kind = kind;
    CHECK(figure_svg(figure).find("no values") != std::string::npos);
  }
}

TEST_CASE("command and configuration end the report, only where they are known") {
  Report report("t");
  report.add_text("x");
  CHECK(report.html().find("<footer>") == std::string::npos);
  report.set_origin("tool --a 'b<c'", "key: 1\n");
  CHECK(report.html().find("<pre>tool --a &#39;b&lt;c&#39;</pre>") != std::string::npos);
  CHECK(report.html().find("<details><summary>Configuration</summary>\n<pre>key: 1\n</pre>") !=
        std::string::npos);
}

TEST_CASE("a rate is rounded to three digits, in groups") {
  CHECK(format_rate(41287.3, "examples") == "41,300 examples/s");
  CHECK(format_rate(999.7, "a") == "1,000 a/s");
  CHECK(format_rate(1234567, "a") == "1,230,000 a/s");
  CHECK(format_rate(0.01234, "a") == "0.0123 a/s");
}

TEST_CASE("a page opens with a sentence for each run") {
  Report report("tool train");
  report.summary() = {"sage", "graph file g.st", "test accuracy 0.9", "accuracy 0.5", "2 s", "",
                      ""};
  const std::string html = report.html();
  const std::string sentence =
      "<li><a href=\"#run-1\">tool train</a> on the graph file g.st: the model (sage) reaches test "
      "accuracy 0.9; without learning, accuracy 0.5. It took 2 s.</li>";
  CHECK(html.find(sentence) < html.find("<table>"));
  CHECK(Report("tool bench").html().find("<li><a href=\"#run-1\">tool bench</a>.</li>") !=
        std::string::npos);
}

TEST_CASE("a chart of a single point is a sentence") {
  Report report("t");
  Figure figure = line_figure({line("training", {0.41}), line("validation", {0.52})});
  figure.title = "Loss";
  figure.x_label = "epoch";
  report.add_figure(figure);
  const std::string html = report.html();
  CHECK(count(html, "<svg") == 0);
  CHECK(html.find("Loss: training 0.41, validation 0.52 (epoch ") != std::string::npos);
  report.add_figure(line_figure({line("training", {NAN})}));
  CHECK(count(report.html(), "<svg") == 2);  // says that there are no values, wide and narrow
  report.add_figure(line_figure({line("training", {0.41, 0.4}), line("validation", {0.52})}));
  CHECK(count(report.html(), "<svg") == 4);
}

TEST_CASE("a page opens with the table of its runs") {
  Report report("tool train");
  report.summary() = {"a<b", "d.csv", "test accuracy 0.9", "accuracy 0.5", "2 s", "", "avx512"};
  const std::string html = report.html();
  const std::size_t table = html.find("<table>");
  CHECK(table < html.find("<article"));
  for (const char* cell : {"<td data-name=\"model\">a&lt;b</td>", "<td data-name=\"speed\"></td>",
                           "<td data-name=\"result\">test accuracy 0.9</td>"}) {
    CHECK(html.find(cell) > table);
    CHECK(html.find(cell) < html.find("<article"));
  }
  CHECK(embedded_data(html)[0]["baseline"] == "accuracy 0.5");
}

TEST_CASE("a report added to another's page keeps both, with one array of numbers") {
  const std::string path = std::filesystem::temp_directory_path() /
                           ("frugal_report_" + std::to_string(getpid()) + ".html");
  Report first("first"), empty("empty"), second("second");
  first.add_figure(line_figure({line("a", {1, 2})}));
  empty.add_text("</main> in a text ends nothing");
  second.add_table({"t", {"x"}, {{"1"}}});
  for (const Report* report : {&first, &empty, &second}) report->append_to(path);
  std::ifstream in(path);
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  for (const char* title : {"first", "empty", "second"}) {
    CHECK(count(page, "<h2>" + std::string(title) + "</h2>") == 1);
    CHECK(count(page, "\">" + std::string(title) + "</a>") ==
          3);  // in sentence, table and contents
  }
  CHECK(count(page, "<h1>") == 1);
  for (const char* run : {"run-1", "run-2", "run-3"}) {
    CHECK(count(page, "<article id=\"" + std::string(run) + "\">") == 1);
    CHECK(count(page, "href=\"#" + std::string(run) + "\"") == 3);
  }
  CHECK(page.find("href=\"#run-3\"") < page.find("<article id=\"run-1\">"));
  CHECK(count(page, "href=\"#run-3-1\">t</a>") == 1);
  CHECK(count(page, "<h3 id=\"run-3-1\">t</h3>") == 1);
  CHECK(count(page, "</main>") == 1);
  const auto data = embedded_data(page);
  REQUIRE(data.size() == 5);
  CHECK(data[3]["run"] == "second");
  CHECK(data[4]["table"] == "t");
  std::ofstream(path) << "my notes";
  CHECK_THROWS_AS(first.append_to(path), Error);
  std::filesystem::remove(path);
}
