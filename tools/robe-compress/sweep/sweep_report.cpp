#include "tools/robe-compress/sweep/sweep_report.h"

#include <algorithm>
#include <string>

#include "libcore/base/text.h"
#include "libcore/report/report.h"

namespace frugal::robe {
namespace {

constexpr int kFigureDigits = 4;
constexpr double kMega = 1e6;

/// A curve for each method and storage, its points by rising bytes.
template <class Value>
std::vector<Series> curves(const std::vector<SweepPoint>& points, const Value& add) {
  std::vector<Series> curves;
  for (const SweepPoint& p : points) {
    if (!p.refused.empty()) continue;
    if (curves.empty() || curves.back().name != p.name()) {
      curves.emplace_back().name = p.name();
    }
    curves.back().x.push_back(static_cast<double>(p.bytes));
    add(p, curves.back());
  }
  return curves;
}

void take_auc(const SweepPoint& p, Series& series) {
  series.y.push_back(p.auc);
  if (p.aucs.size() < 2) return;
  series.low.push_back(p.auc - p.auc_deviation);
  series.high.push_back(p.auc + p.auc_deviation);
}

Table sweep_table(const std::vector<SweepPoint>& points) {
  Table table;
  table.title = "All models";
  table.columns = {"method",    "times smaller", "kept",         "AUC",
                   "deviation", "log-loss",      "M look-ups/s", "k samples/s trained"};
  for (const SweepPoint& p : points) {
    if (!p.refused.empty()) {
      table.rows.push_back(
          {p.name(), format_number(p.compression, kFigureDigits), p.refused, "", "", "", "", ""});
      continue;
    }
    table.rows.push_back({p.name(), format_number(p.compression, kFigureDigits),
                          format_bytes(p.bytes), format_number(p.auc, kFigureDigits),
                          p.aucs.size() < 2 ? "" : format_number(p.auc_deviation, 2),
                          format_number(p.log_loss, kFigureDigits),
                          format_number(p.lookups_per_second / kMega, 3),
                          format_number(p.samples_per_second / 1000, 3)});
  }
  return table;
}

}  // namespace

void add_sweep_report(const std::vector<SweepPoint>& points, Report& report) {
  const auto best =
      std::max_element(points.begin(), points.end(), [](const SweepPoint& a, const SweepPoint& b) {
        return !b.refused.empty() ? false : !a.refused.empty() || a.auc < b.auc;
      });
  if (best != points.end() && best->refused.empty()) {
    report.summary().model = best->name() + ", " + format_bytes(best->bytes);
    report.summary().result = "AUC " + format_number(best->auc, kFigureDigits);
  }
  Figure auc;
  auc.title = "Accuracy against size";
  auc.caption =
      "Area under the ROC curve on samples that no model was trained on; bands are one standard "
      "deviation over seeds.";
  auc.x_label = "bytes of the embeddings";
  auc.y_label = "AUC";
  auc.log_x = true;
  auc.series = curves(points, take_auc);
  report.add_figure(auc);
  Figure speed;
  speed.title = "Look-ups against size";
  speed.caption = "Random rows of all tables on one thread, sample by sample.";
  speed.x_label = "bytes of the embeddings";
  speed.y_label = "rows a second";
  speed.log_x = speed.log_y = true;
  speed.series = curves(points, [](const SweepPoint& p, Series& series) {
    series.y.push_back(p.lookups_per_second);
  });
  report.add_figure(speed);
  report.add_table(sweep_table(points));
}

}  // namespace frugal::robe
