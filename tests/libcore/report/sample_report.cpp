// Writes a report with every kind of content, for the tests of its structure and in a browser:
// sample_report PATH [hostile].
#include <cmath>
#include <string>

#include "libcore/base/rng.h"
#include "libcore/report/report.h"

using namespace frugal;

namespace {

/// A falling curve with noise and a band of two standard deviations.
Series curve(const std::string& name, double floor, double speed, std::uint64_t seed, int points) {
  Rng rng(seed);
  Series series;
  series.name = name;
  for (int i = 0; i < points; ++i) {
    const double x = 20000.0 * i / points;
    const double y = floor + 2.2 * std::exp(-x * speed) + 0.02 * rng.normal();
    const double spread = 0.05 + 0.3 * std::exp(-x * speed);
    series.x.push_back(x);
    series.y.push_back(y);
    series.low.push_back(y - spread);
    series.high.push_back(y + spread);
  }
  return series;
}

Figure learning_curve() {
  Figure figure;
  figure.title = "Learning curve";
  figure.caption = "Mean of five seeds; bands are two standard deviations.";
  figure.x_label = "step";
  figure.y_label = "loss";
  figure.series = {curve("training", 0.21, 5e-4, 1, 6000),
                   curve("validation", 0.36, 4e-4, 2, 6000)};
  figure.references = {{16000, "best checkpoint", true}};
  return figure;
}

Figure rivals() {
  Figure figure;
  figure.title = "Precision at 1 against published results";
  figure.caption = "Ours: mean of five seeds, the whisker spans all of them.";
  figure.kind = FigureKind::bar;
  figure.y_label = "P@1, %";
  figure.emphasis = "sparse-train";
  figure.series = {{"",
                    {},
                    {93.41, 92.7, 92.1, 90.2, 84.46},
                    {92.9},
                    {93.8},
                    {"sparse-train", "one-vs-all, linear", "label tree, beam search",
                     "sampled softmax", "averaged embeddings"}}};
  return figure;
}

Figure grouped() {
  Figure figure;
  figure.title = "Time of an epoch";
  figure.kind = FigureKind::bar;
  figure.y_label = "seconds";
  figure.log_y = true;
  const std::vector<std::string> sets{"small", "medium", "large"};
  figure.series = {{"1 thread", {}, {2.1, 45, 1210}, {}, {}, sets},
                   {"8 threads", {}, {0.4, 7.9, 190}, {}, {}, sets},
                   {"8 threads, bf16", {}, {0.3, 3.1, 71}, {}, {}, sets}};
  return figure;
}

Series roof(const std::string& name, double peak, double bandwidth) {
  return {name, {1.0 / 16, peak / bandwidth, 1024}, {bandwidth / 16, peak, peak}};
}

Figure roofline() {
  Figure figure;
  figure.title = "Roofline, one thread";
  figure.caption = "Points: the tools' products and sums of rows.";
  figure.x_label = "FLOP for each byte";
  figure.y_label = "GFLOP/s";
  figure.log_x = figure.log_y = true;
  figure.series = {roof("L1 310 GB/s", 118, 310), roof("L2 92 GB/s", 118, 92),
                   roof("DRAM 11 GB/s", 118, 11)};
  figure.series.push_back({"gemm f32",
                           {21, 42, 85, 170},
                           {61, 88, 97, 104},
                           {},
                           {},
                           {"batch 64", "batch 128", "batch 256", "batch 512"}});
  figure.series.push_back(
      {"row sums", {0.25, 0.25, 0.25}, {0.6, 1.3, 2.1}, {}, {}, {"64 B", "256 B", "512 B"}});
  figure.references = {{118, "f32 peak 118 GFLOP/s"}};
  return figure;
}

Figure trade_off() {
  Figure figure;
  figure.title = "Accuracy against cost";
  figure.kind = FigureKind::scatter;
  figure.x_label = "CPU seconds";
  figure.y_label = "P@1, %";
  figure.log_x = true;
  figure.series = {{"sparse-train",
                    {12, 31, 95, 260},
                    {88.1, 91.2, 92.8, 93.4},
                    {87.7, 91, 92.6, 93.1},
                    {88.6, 91.5, 93, 93.8},
                    {"1 epoch", "2 epochs", "5 epochs", "10 epochs"}},
                   {"label tree", {55, 140, 800}, {86, 89.5, 92.1}, {}, {}, {}},
                   {"one-vs-all", {900, 4100}, {90.3, 92.7}, {}, {}, {}}};
  return figure;
}

/// More curves than have room for names beside them.
Figure many_lines() {
  Figure figure;
  figure.title = "Time to add a row of a table";
  figure.x_label = "bytes of the table";
  figure.y_label = "ns";
  figure.log_x = figure.log_y = true;
  for (int k = 0; k < 8; ++k) {
    Series series;
    series.name = std::to_string(8 << k) + " B rows";
    for (double bytes = 1 << 14; bytes <= 1 << 30; bytes *= 4) {
      series.x.push_back(bytes);
      series.y.push_back((1 << k) * 0.6 + 60 / (1 + std::exp(-(std::log2(bytes) - 24))));
    }
    figure.series.push_back(series);
  }
  return figure;
}

Table table() {
  return {"Results",
          {"data", "method", "P@1", "P@5", "nDCG@5", "CPU time", "memory"},
          {{"text, 26 classes", "sparse-train", "93.41", "", "", "12.3 s", "210 MiB"},
           {"text, 26 classes", "averaged embeddings", "84.46", "", "", "3.1 s", "96 MiB"},
           {"hypernyms", "sparse-train", "78.20", "61.05", "74.9", "88.0 s", "1.4 GiB"},
           {"hypernyms", "label tree", "76.9", "60.2", "73.55", "141 s", "0.9 GiB"}}};
}

Report full() {
  Report report("sparse-train train: text, 26 classes");
  report.summary() = {"dense",
                      "text.csv",
                      "accuracy 0.934",
                      "accuracy 0.16",
                      "12.3 s",
                      "41,300 examples/s",
                      "avx512, 2 threads, Intel Xeon"};
  report.add_text(
      "Trained for 10 epochs on 2 threads of an Intel Xeon with AVX-512; the best checkpoint is "
      "that of "
      "step 16,000.");
  report.add_key_figures(
      {{"P@1", "93.41 %"}, {"loss", "0.2114"}, {"examples/s", "41,300"}, {"CPU time", "12.3 s"}});
  report.add_figure(learning_curve());
  report.add_figure(rivals());
  report.add_figure(grouped());
  report.add_figure(trade_off());
  report.add_table(table());
  report.add_figure(roofline());
  report.add_figure(many_lines());
  report.set_origin("sparse-train train --epochs 10 --threads 2 -o model.tzs train.csv",
                    "epochs: 10\nthreads: 2\nlsh:\n  tables: 7\n  bits: 12\noptimizer: adagrad\n");
  return report;
}

/// Text that would break out of every place it is put into, values that have no place on an axis.
Report hostile() {
  const std::string evil =
      "</script></title><script>alert(1)</script><!-- \"'>&amp; \xff\xfe \x01 ]]> <img src=x "
      "onerror=alert(1)>";
  const double nan = std::nan(""), inf = INFINITY;
  Report report(evil);
  report.summary() = {evil, evil, evil, evil, evil, evil, evil};
  report.add_text(evil);
  report.add_key_figures({{evil, evil}});
  report.add_table({evil, {evil, "n"}, {{evil, "1"}, {"short"}, {"a", "2", "longer"}}});
  report.add_table({});
  for (const FigureKind kind : {FigureKind::line, FigureKind::scatter, FigureKind::bar}) {
    for (const bool log : {false, true}) {
      Figure figure;
      figure.title = figure.caption = figure.x_label = figure.y_label = evil;
      figure.kind = kind;
      figure.log_x = figure.log_y = log;
      figure.emphasis = evil;
      figure.series = {{evil,
                        {1, 2, nan, 4, inf, 6, 1e308},
                        {0, -1, 2, nan, 3, -inf, -1e308},
                        {-2, nan},
                        {1, 1},
                        {evil, evil, evil, evil, evil, evil, evil}},
                       {evil, {5e-324, 1}, {5e-324, 5e-324}}};
      figure.references = {{nan, evil}, {-inf, evil, true}, {0.5, evil, true}};
      report.add_figure(figure);
      figure.series = {{"", {}, {}}};
      figure.references.clear();
      report.add_figure(figure);
      figure.series = {{"one", {7}, {7}}};
      report.add_figure(figure);
      figure.series.clear();
      report.add_figure(figure);
    }
  }
  report.set_origin(evil, evil);
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  (argc > 2 ? hostile() : full()).write(argv[1]);
}
