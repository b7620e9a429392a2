#include <array>
#include <string_view>

#include "libcore/base/error.h"
#include "libcore/report/markup.h"
#include "libcore/report/report.h"
#include "libcore/report/report_style.h"
#include "libcore/streams/input_stream.h"

namespace frugal {
namespace {

// Where another run is put in: before each of these.
constexpr std::string_view kEndOfSentences = "</ul></header>\n";
constexpr std::string_view kEndOfTable = "</tbody></table></div></section>\n";
constexpr std::string_view kEndOfContents = "</ol></nav>\n";
constexpr std::string_view kEndOfRuns = "</main>\n<script type=\"application/json\" id=\"data\">[";
constexpr std::string_view kEndOfPage = "]</script>\n</body>\n</html>\n";

constexpr std::string_view kRun = "<article id=\"run-";

struct Column {
  const char* name;
  std::string RunSummary::*value;
};
constexpr std::array<Column, 7> kColumns{{{"model", &RunSummary::model},
                                          {"data", &RunSummary::data},
                                          {"result", &RunSummary::result},
                                          {"without learning", &RunSummary::baseline},
                                          {"time", &RunSummary::time},
                                          {"speed", &RunSummary::speed},
                                          {"kernels and device", &RunSummary::machine}}};

std::string link(const std::string& id, const std::string& text) {
  return "<a href=\"#" + id + "\">" + escape_markup(text) + "</a>";
}

/// Names of columns stand before values, too, where a narrow window shows a row as a list.
std::string row(const RunSection& run, const std::string& id) {
  std::string out = "<tr><th scope=\"row\">" + link(id, run.title) + "</th>";
  for (const Column& column : kColumns) {
    const std::string& value = run.summary.*column.value;
    out += "<td data-name=\"" + std::string(column.name) + "\">" + escape_markup(value) + "</td>";
  }
  return out + "</tr>\n";
}

/// Says in one or two sentences what a run did and how good its model is.
std::string sentence(const RunSection& run, const std::string& id) {
  const RunSummary& s = run.summary;
  std::string text = s.data.empty() ? "" : " on the " + s.data;
  if (!s.result.empty()) {
    text += ": " + (s.model.empty() ? "the model" : "the model (" + s.model + ")") + " reaches " +
            s.result;
  }
  if (!s.result.empty() && !s.baseline.empty()) text += "; without learning, " + s.baseline;
  text += ".";
  if (!s.time.empty()) text += " It took " + s.time + ".";
  return "<li>" + link(id, run.title) + escape_markup(text) + "</li>\n";
}

std::string contents(const RunSection& run, const std::string& id) {
  std::string out = "<li>" + link(id, run.title);
  if (!run.summary.data.empty()) out += ' ' + escape_markup(run.summary.data);
  if (!run.headings.empty()) {
    out += "<ul>";
    for (const Heading& heading : run.headings) {
      out += "<li>" + link(heading.id, heading.text) + "</li>";
    }
    out += "</ul>";
  }
  return out + "</li>\n";
}

std::string begin_of_page(const std::string& title) {
  std::string out =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n";
  out += "<title>" + escape_markup(title) + "</title>\n<style>\n" + report_style();
  out += "</style>\n</head>\n<body>\n<main>\n<header><h1>Runs</h1>\n<ul class=\"sentences\">\n";
  out += kEndOfSentences;
  out +=
      "<section class=\"runs\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"All runs\"><table>\n<thead><tr><th scope=\"col\">run</th>";
  for (const Column& column : kColumns) {
    out += "<th scope=\"col\">" + std::string(column.name) + "</th>";
  }
  return out + "</tr></thead>\n<tbody>\n";
}

void insert_before(std::string& page, std::string_view mark, const std::string& text) {
  page.insert(page.find(mark), text);
}

}  // namespace

ReportPage::ReportPage(const std::string& title) : html_(begin_of_page(title)) {
  html_.append(kEndOfTable).append("<nav aria-label=\"Contents\"><h2>Contents</h2><ol>\n");
  html_.append(kEndOfContents).append(kEndOfRuns).append(kEndOfPage);
}

ReportPage ReportPage::read(const std::string& path) {
  ReportPage page;
  page.html_ = read_whole(path);
  for (const std::string_view mark : {kEndOfSentences, kEndOfTable, kEndOfContents, kEndOfRuns}) {
    if (page.html_.find(mark) != std::string::npos && page.html_.ends_with(kEndOfPage)) continue;
    fail(ExitStatus::bad_input, path,
         ": is no report of this version, so nothing can be added to it; name another file");
  }
  return page;
}

std::size_t ReportPage::next_run() const {
  std::size_t runs = 0;
  for (std::size_t at = html_.find(kRun); at != std::string::npos; at = html_.find(kRun, at + 1)) {
    ++runs;
  }
  return runs + 1;
}

void ReportPage::add(const RunSection& run) {
  const std::string id = "run-" + std::to_string(next_run());
  const bool has_data = html_[html_.size() - kEndOfPage.size() - 1] != '[';
  html_.insert(html_.size() - kEndOfPage.size(),
               (has_data && !run.data.empty() ? ",\n" : "") + run.data);
  insert_before(html_, kEndOfRuns, run.article);
  insert_before(html_, kEndOfContents, contents(run, id));
  insert_before(html_, kEndOfTable, row(run, id));
  insert_before(html_, kEndOfSentences, sentence(run, id));
}

}  // namespace frugal
