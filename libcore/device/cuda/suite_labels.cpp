/// Operations of networks with many labels, for tests.
#include "libcore/device/cuda/engines/label_output.h"
#include "libcore/device/cuda/suite_call.h"

namespace frugal::cuda {
namespace {

/// "losses" [n], "dhidden" [n, dim] and "drows" [labels, dim] of "hidden" [n, dim], "rows"
/// [labels, dim] and own labels "offsets" [n + 1], "own"; "n": one number.
void run_label_output(const Arguments& a) {
  const Call& call = a.call;
  const auto number = [&](const char* name) {
    return static_cast<std::uint32_t>(call.settings.number(name));
  };
  const bool softmax = call.settings.text("loss") == "softmax";
  const LabelShape shape{number("labels"), number("dim"), number("block"),
                         softmax ? LabelLoss::softmax : LabelLoss::one_vs_all};
  Room room(false);
  LabelOutput output(shape, products_from(call.settings),
                     static_cast<std::uint32_t>(call.size("losses")), room);
  const LabelBatch batch{call.at<std::uint32_t>("n"),
                         call.at<float>("hidden"),
                         {call.at<std::uint32_t>("offsets"), call.at<std::uint32_t>("own")}};
  call.work([&] {
    output.train(call.at<float>("rows"), batch, call.at<double>("losses"),
                 call.at<float>("dhidden"), call.stream,
                 [&](std::uint32_t begin, std::uint32_t labels, const float* gradient) {
                   call.stream.copy(call.at<float>("drows") + std::uint64_t{begin} * shape.dim,
                                    gradient, std::size_t{labels} * shape.dim);
                 });
  });
}

constexpr Operation kLabelOperations[] = {{"label_output", run_label_output}, {nullptr, nullptr}};

}  // namespace

const Operation* label_operations() { return kLabelOperations; }

}  // namespace frugal::cuda
