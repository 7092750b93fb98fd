// The scan of scan_index.hpp for many dimensions: the same questions, the same answers, about a third of the work.
//
// A pass goes through the images of the records (sketch.hpp), and only blocks with an image within the limits are
// measured in doubles. A pass that looks for near records alone gives a block up as soon as the first attributes
// put all of it out of reach. And the farthest record from the average needs no pass: records stand in the order of
// their norms, so a block is out of the question if its greatest norm plus the drift of the average does not reach
// the best found. When the drift makes that too weak, the records are put in order anew.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "search/scan_index.hpp"
#include "search/sketch.hpp"
#include "tuning.hpp"

namespace shoal {

class SketchScan final : public ScanBase {
 public:
  SketchScan(const Records& records, Duplicates& duplicates, std::vector<Row> fronts, std::int64_t size)
      : ScanBase(records, duplicates, size) {
    arrange(std::move(fronts));
  }

  Row farthest_from(const Place& place) override {
    image_.set(*sketch_, place);
    const auto greatest = std::max_element(norms_.begin(), norms_.end());
    reach_ = std::max(0.0, *greatest * (1.0 + sketch_->slack()));
    seek_nearest(0);
    farthest_ = {};
    measure(place, greatest - norms_.begin());
    const BlockStore& blocks = store_.blocks();
    for (std::int64_t first = 0; first < store_.block_count(); first += kBlock) {
      Lanes lanes = kernels_.at_least(norms_.data() + first, least_norm());
      for (; lanes != 0; lanes &= lanes - 1) {
        const std::int64_t block = first + std::countr_zero(lanes);
        const float limit = sketch_->far_limit(farthest_.distance, sizes());
        drifted_ += norms_[block] < limit;
        if (kernels_.far_images(blocks.images(block), blocks.codes(block), image_query(place), limit) != 0) {
          measure(place, block);
        }
      }
    }
    if (drifted_ > tuning::kArrange * store_.block_count()) arrange(store_.rows());
    return farthest_.row;
  }

 private:
  static constexpr float kNever = std::numeric_limits<float>::infinity();

  double sizes() const { return image_.size + std::sqrt(reach_); }

  ImageQuery image_query(const Place& place) const {
    return {image_.numbers.data(), records_.number_count(), place.codes.data(), sketch_->weights(),
            records_.code_count};
  }

  // Puts the records in the order of their norms from where their centre is now.
  void arrange(std::vector<Row> rows) {
    sketch_ = std::make_unique<Sketch>(records_, rows);
    std::vector<std::pair<float, Row>> order;
    order.reserve(rows.size());
    for (const Row row : rows) {
      float norm = 0.0F;
      for (int j = 0; j < records_.number_count(); ++j) {
        const float image = sketch_->image(records_.number(row, j), j);
        norm += image * image;
      }
      order.emplace_back(-norm, row);
    }
    std::sort(order.begin(), order.end());
    std::transform(order.begin(), order.end(), rows.begin(), [](const auto& entry) { return entry.second; });
    store_.fill(records_, rows, sketch_.get());
    norms_.assign((store_.block_count() + kBlock - 1) / kBlock * kBlock, -kNever);
    for (std::int64_t block = 0; block < store_.block_count(); ++block) tighten(block);
    reach_ = norms_.empty() ? 0.0 : norms_.front() * (1.0 + sketch_->slack());
    weight_ = 0.0;
    for (int j = 0; j < records_.code_count; ++j) weight_ += sketch_->weights()[j];
    drifted_ = 0;
  }

  void tighten(std::int64_t block) {
    const int lanes = store_.lanes_of(block);
    norms_[block] =
        lanes == 0 ? -kNever : kernels_.greatest_norm(store_.blocks().images(block), records_.number_count(), lanes);
  }

  // A record at least as far as the best has at least this norm: |v| >= |v - u| - |u|, codes aside. The limit is so
  // much lower than the best that the root and the difference, in doubles, may round as they like; norms are sums in
  // floats and short by at most the slack. Never negative, as the norm of an empty block is.
  float least_norm() const {
    const double limit = sketch_->far_limit(farthest_.distance, sizes()) - weight_ * (1.0 + sketch_->slack());
    const double root = limit > 0.0 ? std::sqrt(limit) - image_.size : 0.0;
    return root > 0.0 ? static_cast<float>(root * root * (1.0 - 4.0 * sketch_->slack())) : 0.0F;
  }

  void pass(const Place& place, bool near_only) override {
    image_.set(*sketch_, place);
    const ImageQuery from = image_query(place);
    const BlockStore& blocks = store_.blocks();
    for (std::int64_t block = 0;; ++block) {
      const float near = sketch_->near_limit(near_->bound(), sizes());
      block = near_only
                  ? kernels_.seek_near_images(blocks.images(), blocks.codes(), block, store_.block_count(), from, near)
                  : kernels_.seek_images(blocks.images(), blocks.codes(), block, store_.block_count(), from, near,
                                         sketch_->far_limit(farthest_.distance, sizes()));
      if (block == store_.block_count()) return;
      measure(place, block);
    }
  }

  void measure(const Place& place, std::int64_t block) {
    alignas(64) double distances[kBlock];
    kernels_.distances(store_.blocks().numbers(block), store_.blocks().codes(block), query(place), distances);
    offer_block(block, distances);
  }

  void erase(std::span<const Row> rows) override {
    for (const Row row : rows) {
      const auto [slot, last] = store_.remove(row);
      tighten(slot / kBlock);
      tighten(last / kBlock);
    }
  }
  void replace(Row row, Row heir) override { store_.replace(row, heir); }

  std::unique_ptr<Sketch> sketch_;
  SketchedPlace image_;
  Lines<float> norms_;        // greatest norm in each block
  double reach_ = 0.0;        // greatest norm of all, generously
  double weight_ = 0.0;       // of all codes together, among images
  std::int64_t drifted_ = 0;  // blocks looked at only because the average has moved
};

}  // namespace shoal
