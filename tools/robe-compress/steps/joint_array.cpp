#include "tools/robe-compress/steps/joint_array.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/embedding/block_stepper.h"
#include "libcore/parallel/sharded_lines.h"
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
  /// most_batches: of any rank in a step.
  OwnedArray(ArrayEmbedding& embedding, WireType wire, Communicator& ranks,
             std::uint64_t most_batches)
      : embedding_(embedding),
        ranks_(ranks),
        shared_(ranks, {kLine, ParameterArray::kPage}, wire, embedding.array().values()),
        batches_(most_batches),
        next_batches_(most_batches) {}

  void bring(std::span<const ClickBatch> batches) override {
    shared_.pull(find_lines(batches));
    std::swap(batches_, next_batches_);
  }
  void bring_ahead(std::span<const ClickBatch> batches) override {
    shared_.ask(find_lines(batches));
    is_ahead_ = true;
  }
  void add(const ClickBatch& batch, MatrixView<const float> gradient) override {
    BatchLines& lines = batches_[num_added_++];
    lines.add(embedding_, batch, gradient);
    lines_.clear();
    sums_.clear();
    lines.append_lines(lines_);
    lines.append_sums(sums_);
    shared_.push(lines_, sums_);
  }
  /// Ranks with fewer mini-batches push as often as the others.
  void hand_over() override {
    for (; num_added_ < batches_.size(); ++num_added_) shared_.push({}, {});
  }
  void step(float rate) override {
    const ShardedLines::Gradients& mine = shared_.received();
    step_all(embedding_, mine.lines, mine.sums, rate, ranks_);
    num_added_ = 0;
    if (!std::exchange(is_ahead_, false)) return;
    shared_.bring();
    std::swap(batches_, next_batches_);
  }
  void wait() override { shared_.wait(); }
  void bring_together() override {
    ParameterArray& array = embedding_.array();
    for (float* numbers : {array.values().data(), array.first_state(), array.second_state()}) {
      if (numbers != nullptr) shared_.gather({numbers, array.size()});
    }
  }

 private:
  std::vector<std::uint64_t> find_lines(std::span<const ClickBatch> batches) {
    std::vector<std::uint64_t> lines;
    for (std::size_t i = 0; i < batches.size(); ++i) {
      next_batches_[i].clear();
      next_batches_[i].add(embedding_, batches[i], {});
      next_batches_[i].append_lines(lines);
    }
    return lines;
  }

  ArrayEmbedding& embedding_;
  Communicator& ranks_;
  ShardedLines shared_;
  std::vector<BatchLines> batches_, next_batches_;  ///< of this rank, in this step and the next
  std::size_t num_added_ = 0;                       ///< of this step's
  bool is_ahead_ = false;                           ///< the next step's lines are on their way
  std::vector<std::uint64_t> lines_;
  std::vector<float> sums_;
};

/// Every rank steps the whole array.
class ReducedArray final : public JointArray {
 public:
  ReducedArray(ArrayEmbedding& embedding, WireType wire, Communicator& ranks)
      : embedding_(embedding), ranks_(ranks), type_(wire), sum_(wire) {}

  void bring(std::span<const ClickBatch>) override {}
  void bring_ahead(std::span<const ClickBatch>) override {}
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
  void hand_over() override {
    total_ = sum_.take(size());
    coming_ = ranks_.begin([this] { ranks_.all_reduce_sum(std::span(total_), type_); });
  }
  /// Lines without a gradient stay as they are.
  void step(float rate) override {
    coming_.wait();
    std::vector<std::uint64_t> lines;
    std::vector<float> sums;
    for (std::size_t l = 0; l < total_.size() / kLine; ++l) {
      const std::span<const float> line = std::span(total_).subspan(l * kLine, kLine);
      if (std::ranges::all_of(line, [](float x) { return x == 0; })) continue;
      lines.push_back(l);
      sums.insert(sums.end(), line.begin(), line.end());
    }
    step_all(embedding_, lines, sums, rate, *alone_);
  }

 private:
  std::size_t size() const { return (embedding_.array().size() + kLine - 1) / kLine * kLine; }

  ArrayEmbedding& embedding_;
  Communicator& ranks_;
  WireType type_;
  std::unique_ptr<Communicator> alone_ = single_process();
  BatchLines lines_;
  TreeSum<float> sum_;
  std::vector<float> total_;
  Communicator::Pending coming_;  ///< total_; last
};

/// Whether owners cost fewer bytes than sums of the whole array, and says so.
bool chooses_owners(ArrayEmbedding& embedding, const TrainerSetup& setup, const ClickBatch& first) {
  BatchLines lines;
  lines.add(embedding, first, {});
  std::vector<std::uint64_t> found;
  lines.append_lines(found);
  const std::uint64_t number =
      setup.joint.wire == WireType::f32 ? sizeof(float) : sizeof(float) / 2;
  // Its number in the request and with the gradient; its numbers; its gradient; a bit of the
  // answer.
  const std::uint64_t owner =
      found.size() * (8 + kLine * (sizeof(float) + number)) + found.size() / 8;
  const std::uint64_t reduce = 2 * embedding.array().size() * number;
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
    const auto n = static_cast<std::uint64_t>(ranks.size());
    return std::make_unique<OwnedArray>(embedding, setup.joint.wire, ranks,
                                        (setup.joint.accumulate + n - 1) / n);
  }
  return std::make_unique<ReducedArray>(embedding, setup.joint.wire, ranks);
}

}  // namespace frugal::robe
