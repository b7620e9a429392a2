#include "tools/sparse-train/tune/tune_report.h"

#include <algorithm>
#include <iterator>

#include "libcore/base/text.h"
#include "libcore/report/report.h"
#include "tools/sparse-train/search/text_report.h"

namespace frugal::sparse {
namespace {

constexpr const char* kRungTitles[] = {"a ninth of the examples", "a third", "all"};

Figure trials_figure(const TuneResult& result, const std::string& metric) {
  Figure figure;
  figure.title = "Trials";
  figure.caption = "Each point is one training; the best of a part go on to the next, larger one.";
  figure.kind = FigureKind::scatter;
  figure.x_label = "CPU seconds";
  figure.y_label = metric;
  for (int rung = 0; rung < static_cast<int>(std::size(kRungTitles)); ++rung) {
    Series series;
    series.name = kRungTitles[rung];
    double seconds = 0;
    for (const Trial& trial : result.trials) {
      seconds += trial.cpu_seconds;
      if (trial.rung != rung) continue;
      series.x.push_back(seconds);
      series.y.push_back(trial.score);
    }
    if (!series.x.empty()) figure.series.push_back(std::move(series));
  }
  return figure;
}

}  // namespace

std::string tuned_text(const Settings& settings) {
  return settings.empty() ? "as planned" : settings_text(settings);
}

void add_tune_report(const TuneResult& result, const std::string& metric, Report& report) {
  const Trial& best = result.trials[result.best];
  report.add_key_figures({{"trials", std::to_string(result.trials.size())},
                          {metric, format_number(best.score, 4)},
                          {"trained on", kRungTitles[best.rung]}});
  report.summary().model = tuned_text(best.settings);
  report.summary().result = metric + ' ' + format_number(best.score, 4);
  report.add_text("Best: " + tuned_text(best.settings) + ".");
  report.add_figure(trials_figure(result, metric));
  Table table;
  table.title = "All trials";
  table.columns = {"configuration", "trained on", metric, "CPU seconds", "settings"};
  for (const Trial& trial : result.trials) {
    table.rows.push_back({std::to_string(trial.configuration), kRungTitles[trial.rung],
                          format_number(trial.score, 4), format_number(trial.cpu_seconds, 3),
                          tuned_text(trial.settings)});
  }
  report.add_table(table);
}

}  // namespace frugal::sparse
