#pragma once
#include <span>
#include <string>
#include <vector>

#include "libcore/metrics/report.h"

namespace frugal {

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
