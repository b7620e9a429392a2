#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace frugal {

/// How a series of a line or scatter figure is drawn. automatic: points in a scatter figure or if
/// the points have labels, else a line.
enum class SeriesStyle { automatic, line, dashed, points };

/// One curve, set of points or set of bars. low and high, if given, are the edges of a band or
/// error bar. Values that are not finite, or not positive on a log axis, are omitted (a gap in a
/// line).
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
/// Curve called `name` with the values of the log's series "epoch" as x and of `values` as y; both
/// have the same steps.
Series over_epochs(const std::string& name, const RunLog& log, std::string_view values);

enum class FigureKind { line, scatter, bar };

/// A thin line across the figure at one value: a target, a limit, the ridge of a roofline.
struct ReferenceLine {
  double value = 0;
  std::string label;
  bool vertical = false;  ///< at x = value, else at y = value
};

/// A figure drawn as SVG: axes with nice ticks, a legend, curves decimated to pixel columns. Bars
/// are horizontal: one row for each of series[0].labels, with a bar for each series; y_label and
/// log_y apply to their values.
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
  std::string emphasis;  ///< bar figures of one series: the highlighted category
};

/// SVG element of a figure, `width` pixels wide. Colours come from the report's style sheet, so
/// that dark mode and print work.
std::string figure_svg(const Figure& figure, double width = 760);

/// A line figure of the series, with the epochs of a training on the x axis.
Figure epoch_figure(const std::string& title, const std::string& y_label,
                    std::vector<Series> series, const std::string& caption = "");

/// A standalone SVG file: the figures with their titles, one below another on white.
std::string figures_file(std::span<const Figure> figures);

struct Table {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// A run's row in the table at the top of a page. Unknown values are "".
struct RunSummary {
  std::string model;     ///< what was trained: "sage", "dlrm, robe"
  std::string data;      ///< name of the data file
  std::string result;    ///< quality: "test accuracy 0.953"
  std::string baseline;  ///< quality of a model that learns nothing, or of the best rival
  std::string time;
  std::string speed;
  std::string machine;  ///< kernels, threads, device, processor
};

/// Formats a rate: 41287.3, "examples" -> "41,300 examples/s".
std::string format_rate(double per_second, std::string_view what);

struct RunSection;

/// The section that one run adds to a self-contained HTML page, which needs no script, sets a
/// strict content security policy, and embeds its numbers as JSON.
class Report {
 public:
  explicit Report(std::string title) : title_(std::move(title)) {}
  void add_text(const std::string& paragraph);
  /// Adds a row of large numbers: {"P@1", "93.4 %"}.
  void add_key_figures(const std::vector<std::pair<std::string, std::string>>& figures);
  /// Adds a table; columns of numbers are right-aligned.
  void add_table(const Table& table);
  void add_figure(const Figure& figure);
  /// The run's row in the table of all runs; a tool fills in its own values.
  RunSummary& summary() { return summary_; }
  /// Sets the command line of the run and its configuration (YAML), which is shown folded.
  void set_origin(std::string command, std::string config);
  bool empty() const { return parts_.empty(); }
  std::string html() const;
  /// Writes html() by an OutputFile.
  void write(const std::string& path) const;
  /// Adds this run to the report of earlier runs at `path`, or writes a new one. Runs that end at
  /// the same time wait for each other, so that none is lost. Fails with bad_input (65) if the file
  /// is not a report.
  void append_to(const std::string& path) const;

 private:
  struct Part {
    std::string heading;  ///< heading of a figure or table; "" = none
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

/// A figure or table of a run as an entry of the table of contents.
struct Heading {
  std::string id;
  std::string text;
};

/// The part of a page that belongs to one run.
struct RunSection {
  std::string title;
  RunSummary summary;
  std::vector<Heading> headings;
  std::string article;  ///< <article id="run-N">
  std::string data;     ///< JSON objects separated by commas
};

/// A page with one section per run, after a table of all runs and a table of contents. Markers in
/// its text, which no escaped text can contain, allow another run to be inserted.
class ReportPage {
 public:
  /// An empty page.
  explicit ReportPage(const std::string& title);
  /// Reads the page at `path`. Fails (bad_input) if it is not a report.
  static ReportPage read(const std::string& path);

  /// Number of the next run, from 1.
  std::size_t next_run() const;
  void add(const RunSection& run);
  const std::string& html() const { return html_; }

 private:
  ReportPage() = default;
  std::string html_;
};

}  // namespace frugal
