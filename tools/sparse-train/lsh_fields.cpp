#include "tools/sparse-train/train_fields.h"

namespace frugal::sparse {

void describe_lsh(const OptionFields& fields, LshSettings& s) {
  const OptionFields f = fields.group("Hash tables (--architecture lsh, --lsh-hard)");
  f.add("--lsh-hash", s.hash,
        "functions: signs of sparse or dense random projections, (densified) winners take "
        "all, minwise hashes of the largest coordinates")
      .choices({"simhash", "simhash-dense", "wta", "dwta", "minhash"});
  f.add("--lsh-k", s.functions, "functions of a table; auto = by the number of labels")
      .range(1, 32)
      .automatic(s.functions, 0);
  f.add("--lsh-tables", s.tables, "tables").range(1, 4096);
  f.add("--lsh-range", s.range, "a table has at most 2^N buckets").range(1, 24).metavar("N");
  f.add("--lsh-bucket", s.bucket, "labels that a bucket holds").range(1, 1000000);
  f.add("--lsh-bucket-policy", s.bucket_policy,
        "what a full bucket keeps: the labels that came last, or a random sample of all")
      .choices({"fifo", "reservoir"});
  f.add("--lsh-mode", s.mode,
        "which labels are looked up: vanilla: of tables in random order; top-k: in most tables; "
        "threshold: in --lsh-threshold tables")
      .choices({"vanilla", "top-k", "threshold"});
  f.add("--lsh-active", s.active,
        "vanilla, top-k: labels looked up for an example; 0 = all that are found");
  f.add("--lsh-threshold", s.threshold, "threshold: tables that a label must be in").range(1, 4096);
  f.add("--lsh-min-active", s.min_active,
        "outputs of an example, filled up with labels drawn at random");
  f.add("--lsh-correct-sampling,!--no-lsh-correct-sampling", s.correct_sampling,
        "count labels drawn at random for all that were not looked up; not in the paper");
  f.add("--lsh-rebuild", s.rebuild, "batches to the first rebuild of the tables; 0 = none");
  f.add("--lsh-rebuild-growth", s.rebuild_growth,
        "factor from one interval between rebuilds to the next; 1 = a fixed interval")
      .range(1.0, 100.0);
  f.add("--lsh-rebuild-steps", s.rebuild_steps, "batches over which a rebuild is spread")
      .range(1, 1000000);
  f.add("--lsh-new-hashes", s.new_hashes,
        "rebuilds after which functions are drawn anew; 0 = never");
  f.add("--lsh-freeze-after", s.freeze_after,
        "epochs after which tables are not built any more, and labels that they miss are "
        "put in; 0 = never");
  f.add("--lsh-hard", s.hard,
        "with --architecture shared: labels that the tables find for each example and that are "
        "computed for its batch, too")
      .range(0, 10000);
}

}  // namespace frugal::sparse
