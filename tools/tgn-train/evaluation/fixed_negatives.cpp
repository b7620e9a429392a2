#include "tools/tgn-train/evaluation/fixed_negatives.h"

#include <cassert>

#include "libcore/base/error.h"
#include "libcore/io/npy.h"
#include "libcore/io/number_tensor.h"
#include "libcore/io/tensor_file.h"

namespace frugal {
namespace {

Tensor read_tensor(const std::string& path, const std::string& name) {
  if (path.ends_with(".npy")) return read_npy(path);
  if (path.ends_with(".npz")) return NpzReader(path).read(name);
  Document document = read_document(path);
  return std::move(document.at(name));
}

}  // namespace

FixedNegatives::FixedNegatives(const std::string& path, const Part& part, std::size_t num_nodes)
    : begin_(part.begin) {
  const Tensor tensor = read_tensor(path, part.name);
  const std::uint64_t events = part.end - part.begin;
  if (tensor.shape.size() != 2 || tensor.shape[0] != events || tensor.shape[1] == 0) {
    fail(ExitStatus::bad_input, path, ": negatives of shape ", shape_text(tensor.shape),
         ", expected a row for each of the ", events, " events of ", part.name);
  }
  per_event_ = tensor.shape[1];
  const std::vector<std::int64_t> nodes = to_integers(tensor, path + ": " + part.name);
  nodes_.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i] < 0 || static_cast<std::uint64_t>(nodes[i]) >= num_nodes) {
      fail(ExitStatus::bad_input, path, ": row ", i / per_event_, ", column ", i % per_event_,
           ": node ", nodes[i], ", expected one of 0 to ", num_nodes - 1);
    }
    nodes_.push_back(static_cast<NodeId>(nodes[i]));
  }
}

void FixedNegatives::draw(EventId event, std::vector<NodeId>& negatives) const {
  const std::size_t row = event - begin_;
  assert(event >= begin_ && (row + 1) * per_event_ <= nodes_.size());
  const auto begin = nodes_.begin() + static_cast<std::ptrdiff_t>(row * per_event_);
  negatives.assign(begin, begin + static_cast<std::ptrdiff_t>(per_event_));
}

}  // namespace frugal
