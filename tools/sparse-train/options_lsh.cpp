#include <CLI/CLI.hpp>

#include "libcore/cli/tool.h"
#include "tools/sparse-train/options_training.h"

namespace frugal::sparse {

void add_lsh_options(CLI::App& app, LshSettings& s) {
  constexpr char kGroup[] = "Hash tables (--output lsh, --lsh-hard)";
  app.add_option("--lsh-hash", s.hash,
                 "functions: signs of sparse or dense random projections, (densified) winners take "
                 "all, minwise hashes of the largest coordinates")
      ->check(CLI::IsMember(Names{"simhash", "simhash-dense", "wta", "dwta", "minhash"}))
      ->group(kGroup);
  app.add_option("--lsh-k", s.functions, "functions of a table; 0 = by the number of labels")
      ->check(CLI::Range(0, 32))
      ->group(kGroup);
  app.add_option("--lsh-tables", s.tables, "tables")->check(CLI::Range(1, 4096))->group(kGroup);
  app.add_option("--lsh-range", s.range, "a table has at most 2^N buckets")
      ->check(CLI::Range(1, 24))
      ->type_name("N")
      ->group(kGroup);
  app.add_option("--lsh-bucket", s.bucket, "labels that a bucket holds")
      ->check(CLI::Range(1, 1000000))
      ->group(kGroup);
  app.add_option("--lsh-bucket-policy", s.bucket_policy,
                 "what a full bucket keeps: the labels that came last, or a random sample of all")
      ->check(CLI::IsMember(Names{"fifo", "reservoir"}))
      ->group(kGroup);
  app.add_option("--lsh-mode", s.mode,
                 "labels looked up: of tables in random order, those in most tables, or those in "
                 "--lsh-threshold tables")
      ->check(CLI::IsMember(Names{"vanilla", "top-k", "threshold"}))
      ->group(kGroup);
  app.add_option("--lsh-active", s.active,
                 "vanilla, top-k: labels looked up for an example; 0 = all that are found")
      ->group(kGroup);
  app.add_option("--lsh-threshold", s.threshold, "threshold: tables that a label must be in")
      ->check(CLI::Range(1, 4096))
      ->group(kGroup);
  app.add_option("--lsh-min-active", s.min_active,
                 "outputs of an example, filled up with labels drawn at random")
      ->group(kGroup);
  app.add_flag("--lsh-correct-sampling,!--no-lsh-correct-sampling", s.correct_sampling,
               "count labels drawn at random for all that were not looked up; not in the paper")
      ->group(kGroup);
  app.add_option("--lsh-rebuild", s.rebuild, "batches to the first rebuild of the tables; 0 = none")
      ->group(kGroup);
  app.add_option("--lsh-rebuild-growth", s.rebuild_growth,
                 "factor from one interval between rebuilds to the next; 1 = a fixed interval")
      ->check(CLI::Range(1.0, 100.0))
      ->group(kGroup);
  app.add_option("--lsh-rebuild-steps", s.rebuild_steps, "batches over which a rebuild is spread")
      ->check(CLI::Range(1, 1000000))
      ->group(kGroup);
  app.add_option("--lsh-new-hashes", s.new_hashes,
                 "rebuilds after which functions are drawn anew; 0 = never")
      ->group(kGroup);
  app.add_option("--lsh-freeze-after", s.freeze_after,
                 "epochs after which tables are not built any more, and labels that they miss are "
                 "put in; 0 = never")
      ->group(kGroup);
  app.add_option("--lsh-hard", s.hard,
                 "with --output shared: labels that the tables find for each example and that are "
                 "computed for its batch, too")
      ->check(CLI::Range(0, 10000))
      ->group(kGroup);
}

}  // namespace frugal::sparse
