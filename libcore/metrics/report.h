#pragma once
#include <string>
#include <vector>

namespace frugal {

/// One curve, set of points or set of bars. low/high, where given, are the edges of a band or error
/// bar.
struct Series {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> low;
  std::vector<double> high;
  std::vector<std::string> labels;  ///< of the points (scatter) or of the bars (categories)
};

enum class FigureKind { line, scatter, bar };

/// A figure drawn as SVG by us: axes with nice ticks, legend, decimated to pixel columns.
struct Figure {
  std::string title;
  std::string caption;
  FigureKind kind = FigureKind::line;
  std::string x_label;
  std::string y_label;
  bool log_x = false;
  bool log_y = false;
  std::vector<Series> series;
};

/// The SVG element of a figure; colours come from CSS variables so that dark mode and print work.
std::string figure_svg(const Figure& figure);

struct Table {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// One self-contained HTML page: no script needed, strict content policy, numbers embedded as JSON.
class Report {
 public:
  explicit Report(std::string title) : title_(std::move(title)) {}
  void add_text(std::string paragraph);
  void add_table(Table table);
  void add_figure(Figure figure);
  /// The configuration (YAML) and the command line that made the report, shown at its end.
  void set_origin(std::string command, std::string config);
  bool empty() const { return parts_.empty(); }
  std::string html() const;
  /// Writes html() with OutputFile's promises.
  void write(const std::string& path) const;

 private:
  std::string title_;
  std::string command_;
  std::string config_;
  struct Part {
    std::string html;
    std::string json;  ///< the numbers of a figure or table, embedded in the page
  };
  std::vector<Part> parts_;
};

}  // namespace frugal
