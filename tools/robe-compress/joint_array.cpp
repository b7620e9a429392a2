#include "tools/robe-compress/joint_array.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/embedding/block_stepper.h"
#include "libcore/parallel/tree_sum.h"
#include "libcore/threading/parallel.h"

namespace frugal::robe {
namespace {

constexpr std::size_t kLine = LineSums::kLine;

/// Takes one part of the lines.
class PartSink final : public BlockSink {
 public:
  PartSink(LineSums& sums, ParameterPart part) : sums_(sums), part_(part) {}
  void add(const float* x, std::size_t source, SlotRange range) override {
    for (std::size_t i = 0; i < range.length;) {
      const std::uint64_t slot = range.slot + i;
      const std::size_t n = std::min(range.length - i, kLine - slot % kLine);
      if (slot / kLine % part_.count == part_.index) {
        sums_.add(x == nullptr ? nullptr : x + source + i, {slot, n});
      }
      i += n;
    }
  }

 private:
  LineSums& sums_;
  ParameterPart part_;
};

/// The lines of a mini-batch and the sums of their gradients: a part by each thread.
class BatchLines {
 public:
  BatchLines() : parts_(static_cast<std::size_t>(num_threads())) {}
  void clear() {
    for (LineSums& part : parts_) part.clear();
  }
  /// gradient: empty: the lines alone.
  void add(const ArrayEmbedding& embedding, const ClickBatch& batch,
           MatrixView<const float> gradient) {
    parallel_for(parts_.size(), 1, [&](std::size_t t) {
      PartSink sink(parts_[t], {t, parts_.size()});
      embedding.visit_blocks(batch.rows_view(), gradient, sink);
    });
  }
  void append_lines(std::vector<std::uint64_t>& to) const {
    for (const LineSums& part : parts_)
      to.insert(to.end(), part.lines().begin(), part.lines().end());
  }
  void append_sums(std::vector<float>& to) const {
    for (const LineSums& part : parts_) to.insert(to.end(), part.sums().begin(), part.sums().end());
  }

 private:
  std::vector<LineSums> parts_;
};

void step_all(ArrayEmbedding& embedding, std::span<const std::uint64_t> lines,
              std::span<const float> sums, float rate, const Communicator& ranks) {
  const auto n = static_cast<std::size_t>(ranks.size());
  const auto threads = static_cast<std::size_t>(num_threads());
  parallel_for(threads, 1, [&](std::size_t thread) {
    // Pages of this rank, of which each thread has its own.
    const std::size_t index = static_cast<std::size_t>(ranks.rank()) + n * thread;
    embedding.step_lines(lines, sums, rate, {index, n * threads});
  });
}

/// Ranks have pages of the array.
class OwnedArray final : public JointArray {
 public:
  OwnedArray(ArrayEmbedding& embedding, WireType wire, Communicator& ranks)
      : embedding_(embedding),
        ranks_(ranks),
        shared_(ranks, {kLine, ParameterArray::kPage}, wire) {}

  void bring(std::span<const ClickBatch> batches) override {
    if (batches_.size() < batches.size()) batches_.resize(batches.size());
    lines_.clear();
    sums_.clear();
    next_ = 0;
    for (std::size_t i = 0; i < batches.size(); ++i) {
      batches_[i].clear();
      batches_[i].add(embedding_, batches[i], {});
      batches_[i].append_lines(lines_);
    }
    shared_.pull(lines_, embedding_.array().values());
  }
  void add(const ClickBatch& batch, MatrixView<const float> gradient) override {
    BatchLines& lines = batches_[next_++];
    lines.add(embedding_, batch, gradient);
    lines.append_sums(sums_);
  }
  void step(float rate) override {
    const ShardedLines::Gradients& mine = shared_.push(lines_, sums_);
    step_all(embedding_, mine.lines, mine.sums, rate, ranks_);
  }
  void bring_together() override {
    ParameterArray& array = embedding_.array();
    for (float* numbers : {array.values().data(), array.first_state(), array.second_state()}) {
      if (numbers != nullptr) shared_.gather({numbers, array.size()});
    }
  }

 private:
  ArrayEmbedding& embedding_;
  Communicator& ranks_;
  ShardedLines shared_;
  std::vector<BatchLines> batches_;  ///< of this rank
  std::size_t next_ = 0;             ///< of them, that has no gradient yet
  std::vector<std::uint64_t> lines_;
  std::vector<float> sums_;
};

/// Every rank steps the whole array.
class ReducedArray final : public JointArray {
 public:
  ReducedArray(ArrayEmbedding& embedding, Communicator& ranks)
      : embedding_(embedding), ranks_(ranks) {}

  void bring(std::span<const ClickBatch>) override {}
  void add(const ClickBatch& batch, MatrixView<const float> gradient) override {
    lines_.clear();
    lines_.add(embedding_, batch, gradient);
    std::vector<std::uint64_t> lines;
    std::vector<float> sums, all(size());
    lines_.append_lines(lines);
    lines_.append_sums(sums);
    for (std::size_t l = 0; l < lines.size(); ++l) {
      std::copy_n(sums.data() + l * kLine, kLine, all.data() + lines[l] * kLine);
    }
    sum_.add(std::move(all));
  }
  /// Lines without a gradient stay as they are.
  void step(float rate) override {
    const std::vector<float> all = total();
    std::vector<std::uint64_t> lines;
    std::vector<float> sums;
    for (std::size_t l = 0; l < all.size() / kLine; ++l) {
      const std::span<const float> line = std::span(all).subspan(l * kLine, kLine);
      if (std::ranges::all_of(line, [](float x) { return x == 0; })) continue;
      lines.push_back(l);
      sums.insert(sums.end(), line.begin(), line.end());
    }
    step_all(embedding_, lines, sums, rate, *alone_);
  }

 private:
  std::size_t size() const { return (embedding_.array().size() + kLine - 1) / kLine * kLine; }
  std::vector<float> total() {
    std::vector<float> all = sum_.take(size());
    ranks_.all_reduce_sum(std::span(all));
    return all;
  }

  ArrayEmbedding& embedding_;
  Communicator& ranks_;
  std::unique_ptr<Communicator> alone_ = single_process();
  BatchLines lines_;
  TreeSum<float> sum_;
};

/// Whether owners cost fewer bytes than sums of the whole array, and says so.
bool chooses_owners(ArrayEmbedding& embedding, const TrainerSetup& setup, const ClickBatch& first) {
  BatchLines lines;
  lines.add(embedding, first, {});
  std::vector<std::uint64_t> found;
  lines.append_lines(found);
  const std::uint64_t number =
      setup.joint.wire == WireType::f32 ? sizeof(float) : sizeof(float) / 2;
  // Its number in the request and with the gradient; its numbers; its gradient.
  const std::uint64_t owner = found.size() * (8 + kLine * (sizeof(float) + number));
  const std::uint64_t reduce = 2 * embedding.array().size() * sizeof(float);
  const bool owns = setup.joint.exchange == ArrayExchange::owner ||
                    (setup.joint.exchange == ArrayExchange::automatic && owner < reduce);
  log_info("ranks exchange embeddings by ", owns ? "owner" : "reduce", ": ", format_bytes(owner),
           " a mini-batch by owner (", found.size(), " lines of ", kLine, " numbers), ",
           format_bytes(reduce), " by reduce");
  return owns;
}

}  // namespace

std::unique_ptr<JointArray> make_joint_array(ArrayEmbedding& embedding, const TrainerSetup& setup,
                                             Communicator& ranks, const ClickBatch& first) {
  if (chooses_owners(embedding, setup, first)) {
    return std::make_unique<OwnedArray>(embedding, setup.joint.wire, ranks);
  }
  return std::make_unique<ReducedArray>(embedding, ranks);
}

}  // namespace frugal::robe
