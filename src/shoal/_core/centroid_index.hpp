// The nearest centroid among groups that come and go.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "block_store.hpp"
#include "neighbours.hpp"
#include "records.hpp"

namespace shoal {

class CentroidIndex {
 public:
  // Reads the centroids through the view whenever a group is inserted.
  explicit CentroidIndex(const Records& centroids)
      : centroids_(centroids),
        store_(centroids, (centroids.size + kBlock - 1) / kBlock),
        slots_(centroids.size),
        kernels_(lane_kernels(centroids.number_count())),
        place_(centroids) {
    for (std::int64_t group = 0; group < centroids.size; ++group) insert(group);
  }

  void insert(std::int64_t group) {
    slots_[group] = size_;
    store_.put(size_++, centroids_, static_cast<Row>(group));
  }

  void erase(std::int64_t group) {
    const std::int64_t slot = slots_[group], last = --size_;
    if (slot == last) return;
    store_.move(last, slot);
    slots_[store_.row(slot)] = slot;
  }

  // Smallest distance, then lowest number.
  std::int64_t nearest_other(std::int64_t group) {
    place_.set(centroids_, group);
    const Query query{place_.numbers.data(), centroids_.number_count(), place_.codes.data(),
                      centroids_.code_weights.data(), centroids_.code_count};
    constexpr double infinity = std::numeric_limits<double>::infinity();
    Neighbour best{infinity, std::numeric_limits<Row>::max()};
    const std::int64_t blocks = (size_ + kBlock - 1) / kBlock;
    alignas(64) double distances[kBlock];
    for (std::int64_t block = 0;; ++block) {
      block = kernels_.seek(store_.numbers(), store_.codes(), block, blocks, query, best.distance, infinity, distances);
      if (block == blocks) return best.row;
      const std::int64_t start = block * kBlock;
      for (std::int64_t slot = start; slot < std::min(start + kBlock, size_); ++slot) {
        const Neighbour candidate{distances[slot - start], store_.row(slot)};
        if (candidate.row != group && candidate < best) best = candidate;
      }
    }
  }

 private:
  Records centroids_;
  BlockStore store_;
  std::vector<std::int64_t> slots_;
  std::int64_t size_ = 0;
  LaneKernels kernels_;
  Place place_;
};

}  // namespace shoal
