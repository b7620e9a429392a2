#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace frugal {

/// How a series of a line or scatter figure is drawn. automatic: points in a scatter figure and
/// where the points have labels, else a line.
enum class SeriesStyle { automatic, line, dashed, points };

/// One curve, set of points or set of bars. low/high, where given, are the edges of a band or error
/// bar. Values that are not finite, or not positive on a log axis, are left out (a gap in a line).
struct Series {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> low;
  std::vector<double> high;
  std::vector<std::string> labels;  ///< of the points (scatter) or of the bars (categories)
  SeriesStyle style = SeriesStyle::automatic;
};

class RunLog;
/// The curve `name` of the log's series `values` over its series "epoch", which share their steps.
Series over_epochs(const std::string& name, const RunLog& log, std::string_view values);

enum class FigureKind { line, scatter, bar };

/// A thin line across the figure at one value: a target, a limit, the ridge of a roofline.
struct ReferenceLine {
  double value = 0;
  std::string label;
  bool vertical = false;  ///< at x = value, else at y = value
};

/// A figure drawn as SVG by us: axes with nice ticks, legend, decimated to pixel columns. Bars lie:
/// one row for each of series[0].labels, a bar in it for each series; their values belong to
/// y_label and log_y.
struct Figure {
  std::string title;
  std::string caption;
  FigureKind kind = FigureKind::line;
  std::string x_label;
  std::string y_label;
  bool log_x = false;
  bool log_y = false;
  std::vector<Series> series;
  std::vector<ReferenceLine> references;
  std::string emphasis;  ///< bar figures of one series: the category that stands out
};

/// The SVG element of a figure, `width` pixels wide; colours come from the report's style sheet, so
/// that dark mode and print work.
std::string figure_svg(const Figure& figure, double width = 760);

/// Lines over the epochs of a training.
Figure epoch_figure(const std::string& title, const std::string& y_label,
                    std::vector<Series> series, const std::string& caption = "");

/// An SVG file by itself: the figures with their titles, below each other on white.
std::string figures_file(std::span<const Figure> figures);

struct Table {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// A run's row in the table that opens a page. What is not known is "".
struct RunSummary {
  std::string model;     ///< what was trained: "sage", "dlrm, robe"
  std::string data;      ///< its file
  std::string result;    ///< how good: "test accuracy 0.953"
  std::string baseline;  ///< the same of what learns nothing, or of the best rival
  std::string time;
  std::string speed;
  std::string machine;  ///< kernels, threads, device, processor
};

/// 41287.3, "examples" -> "41,300 examples/s".
std::string format_rate(double per_second, std::string_view what);

struct RunSection;

/// What one run adds to a self-contained HTML page: no script needed, strict content policy,
/// numbers embedded as JSON.
class Report {
 public:
  explicit Report(std::string title) : title_(std::move(title)) {}
  void add_text(const std::string& paragraph);
  /// A row of large numbers: {"P@1", "93.4 %"}.
  void add_key_figures(const std::vector<std::pair<std::string, std::string>>& figures);
  /// Columns of numbers are set flush right.
  void add_table(const Table& table);
  void add_figure(const Figure& figure);
  /// The run's row in the table of all runs; a tool may fill in what others cannot know.
  RunSummary& summary() { return summary_; }
  /// The command line that made the report and the configuration (YAML), which is folded.
  void set_origin(std::string command, std::string config);
  bool empty() const { return parts_.empty(); }
  std::string html() const;
  /// Writes html() with OutputFile's promises.
  void write(const std::string& path) const;
  /// Adds this run to the page at `path`, a report of an earlier run, or writes it if there is
  /// none. Runs that end at one time wait for each other, so that none is lost. Fails with
  /// bad_input (65) if the file is something else.
  void append_to(const std::string& path) const;

 private:
  struct Part {
    std::string heading;  ///< of a figure or table that has one
    std::string html;
    std::string json;  ///< the numbers of a figure or table, embedded in the page
  };
  RunSection section(std::size_t number) const;
  std::string title_;
  std::string command_;
  std::string config_;
  RunSummary summary_;
  std::vector<Part> parts_;
};

/// A figure or table of a run, as the list of contents names it.
struct Heading {
  std::string id;
  std::string text;
};

/// What a page holds of one run.
struct RunSection {
  std::string title;
  RunSummary summary;
  std::vector<Heading> headings;
  std::string article;  ///< <article id="run-N">
  std::string data;     ///< JSON objects with commas between
};

/// A section a run, behind one table of all runs and a list of contents. It is a text with marks
/// that no escaped text can hold, so that another run can be put in.
class ReportPage {
 public:
  /// A page without runs.
  explicit ReportPage(const std::string& title);
  /// The page at `path`; fails (bad_input) where it is no report.
  static ReportPage read(const std::string& path);

  /// The number of the next run: 1 is the first.
  std::size_t next_run() const;
  void add(const RunSection& run);
  const std::string& html() const { return html_; }

 private:
  ReportPage() = default;
  std::string html_;
};

}  // namespace frugal
