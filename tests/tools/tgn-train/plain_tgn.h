#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "libcore/tensors/tensor_file.h"
#include "tests/tools/tgn-train/tape.h"
#include "tools/tgn-train/network/tgn_options.h"

// Temporal graph networks again, in double and by the formulas of the paper and of PyTorch's
// modules: no product is reordered, nothing is folded.
namespace frugal::tgn::plain {

using Tensors = std::map<std::string, std::vector<double>>;

/// The tensors of a document that TgnModel::save() fills.
Tensors tensors_of(const Document& document);

/// A neighbour of a query.
struct Neighbor {
  Numbers row;
  Numbers edge;
  double dt = 0;
};

class Network {
 public:
  Network(const TgnOptions& options, const Document& saved) : Network(options, tensors_of(saved)) {}
  Network(const TgnOptions& options, const Tensors& tensors)
      : options_(options), tensors_(tensors) {
    keep_constant();
  }

  const TgnOptions& options() const { return options_; }
  const Tensors& tensors() const { return tensors_; }

  /// From here on parameters are constants.
  void keep_constant();
  /// From here on, with an empty tape, they are variables.
  void make_variable();
  /// The gradient of a number that was computed since make_variable().
  Tensors gradient(const Number& of) const;
  /// A step of gradient descent as TgnModel takes it; what it holds doubled moves twice as far.
  void descend(const Tensors& gradient, double rate);

  Numbers encode(double dt) const;
  /// [own | other | edge | phi(dt)], constant but, where time learns, for phi.
  Numbers raw_message(const Numbers& own, const Numbers& other, const Numbers& edge, double dt,
                      bool time_learns = false) const;
  /// The memory after a message.
  Numbers update(const Numbers& raw, const Numbers& own) const;
  Numbers embed(std::size_t layer, const Numbers& self, double since,
                const std::vector<Neighbor>& neighbors) const;
  /// pair: features of the two, where the decoder looks at them; of a decoder of common neighbours,
  /// whether the destination met the source, the reverse, and each list's sum and length.
  Number logit(const Numbers& source, const Numbers& destination, const Numbers& pair = {}) const;
  /// Mean over events of the cross-entropy of the event plus the mean of those of the others. rows:
  /// of each event its source, its destination and other destinations. pairs: features of the
  /// source with each destination, or none.
  Number link_loss(const std::vector<Numbers>& rows, const std::vector<Numbers>& pairs = {},
                   std::size_t others = 1) const;
  /// The mean of the events' cross-entropies among all destinations, for which others stand.
  Number ranking_loss(const std::vector<Numbers>& rows, const std::vector<Numbers>& pairs,
                      std::size_t others, double destinations) const;

 private:
  void for_each_event(const std::vector<Numbers>& rows, const std::vector<Numbers>& pairs,
                      std::size_t others,
                      const std::function<void(const Number&, const Numbers&)>& visit) const;
  Numbers linear(const std::string& name, const Numbers& x) const;
  Numbers product(const std::string& weight, const std::string& bias, std::size_t first_bias,
                  const Numbers& x) const;
  Numbers encode_with(const std::string& encoder, double dt) const;
  Numbers transform(const Numbers& self, const std::vector<Neighbor>& neighbors) const;
  Numbers attend(const std::string& name, const Numbers& query,
                 const std::vector<Neighbor>& neighbors) const;
  Numbers add_up(const std::string& number, const Numbers& self,
                 const std::vector<Neighbor>& neighbors) const;
  Number common_logit(const Numbers& source, const Numbers& destination, const Numbers& pair) const;
  Numbers merge(const std::string& name, const Numbers& x) const;

  TgnOptions options_;
  Tensors tensors_;
  std::map<std::string, Numbers> parameters_;
};

}  // namespace frugal::tgn::plain
