#include "tools/robe-compress/sweep/sweep_report.h"

#include <functional>
#include <string>

#include "libcore/base/text.h"
#include "libcore/report/mean_lines.h"

namespace frugal::robe {
namespace {

constexpr int kFigureDigits = 4;
constexpr double kMega = 1e6;

/// A curve for each method and storage, its points by rising bytes.
Figure over_bytes(const std::vector<SweepPoint>& points,
                  const std::function<SampleMean(const SweepPoint&)>& value) {
  MeanLines lines;
  for (const SweepPoint& p : points) {
    if (p.num_trained() != 0) lines.add(p.name(), static_cast<double>(p.bytes()), value(p));
  }
  Figure figure;
  figure.x_label = "bytes of the embeddings";
  figure.log_x = true;
  figure.series = lines.series();
  return figure;
}

Table sweep_table(const std::vector<SweepPoint>& points) {
  Table table;
  table.title = "All models";
  table.columns = {"method",    "times smaller", "kept",         "AUC",
                   "deviation", "log-loss",      "M look-ups/s", "k samples/s trained"};
  for (const SweepPoint& p : points) {
    if (p.num_trained() == 0) {
      table.rows.push_back(
          {p.name(), format_number(p.compression, kFigureDigits), p.failure(), "", "", "", "", ""});
      continue;
    }
    const SampleMean auc = p.mean("auc");
    table.rows.push_back({p.name(), format_number(p.compression, kFigureDigits),
                          format_bytes(p.bytes()), format_number(auc.mean, kFigureDigits),
                          p.num_trained() < 2 ? "" : format_number(auc.deviation, 2),
                          format_number(p.mean("log_loss").mean, kFigureDigits),
                          format_number(p.lookups_per_second / kMega, 3),
                          format_number(p.samples_per_second() / 1000, 3)});
  }
  return table;
}

}  // namespace

void add_sweep_report(const std::vector<SweepPoint>& points, Report& report) {
  if (const SweepPoint* best = best_point(points, "auc")) {
    report.summary().model = best->name() + ", " + format_bytes(best->bytes());
    report.summary().result = "AUC " + format_number(best->mean("auc").mean, kFigureDigits);
  }
  Figure auc = over_bytes(points, [](const SweepPoint& p) { return p.mean("auc"); });
  auc.title = "Accuracy against size";
  auc.caption =
      "Area under the ROC curve on samples that no model was trained on; bands are one standard "
      "deviation over seeds.";
  auc.y_label = "AUC";
  report.add_figure(auc);
  Figure speed = over_bytes(points, [](const SweepPoint& p) {
    return SampleMean{p.lookups_per_second, 0};
  });
  speed.title = "Look-ups against size";
  speed.caption = "Random rows of all tables on one thread, sample by sample.";
  speed.y_label = "rows a second";
  speed.log_y = true;
  report.add_figure(speed);
  report.add_table(sweep_table(points));
}

}  // namespace frugal::robe
