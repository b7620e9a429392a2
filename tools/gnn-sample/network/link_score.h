#pragma once

namespace frugal::gnn {

/// Score of a pair of nodes: its log-odds to be a link, against random pairs.
struct LinkScore {
  float dot = 1;               ///< weight of the dot product of both embeddings
  float common_neighbors = 0;  ///< weight of AdamicAdar
  float bias = 0;

  float of(float product, float common) const {
    return dot * product + common_neighbors * common + bias;
  }
};

}  // namespace frugal::gnn
