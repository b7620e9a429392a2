#pragma once
#include <cstddef>
#include <functional>

#include "libcore/threading/ordered_pipeline.h"
#include "libcore/threading/parallel.h"
#include "tools/robe-compress/fit/table_source.h"

namespace frugal::robe {

/// What happens to each piece of the tables on a way through them. Found is what `work`, which runs
/// for several pieces at a time, leaves for `use`, which sees them one after another in the order
/// of the file: sums that `use` makes do not depend on the number of threads.
template <class Found>
struct TablePass {
  std::function<void(const TablePiece&, Found&)> work;
  std::function<void(const TablePiece&, Found&)> use;

  void run(TableSource& file) const {
    struct Item {
      TablePiece piece;
      Found found;
    };
    file.begin();
    OrderedPipeline<Item> pipeline;
    pipeline.produce = [&](Item& item) { return file.next(item.piece); };
    pipeline.transform = [&](Item& item) {
      file.to_floats(item.piece);
      work(item.piece, item.found);
    };
    pipeline.consume = [&](Item& item) { use(item.piece, item.found); };
    pipeline.run(static_cast<std::size_t>(num_threads()) + 2);
  }
};

}  // namespace frugal::robe
