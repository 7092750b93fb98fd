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
#include <vector>

#include "block_store.hpp"
#include "neighbours.hpp"
#include "records.hpp"
#include "sketch.hpp"

namespace shoal {

class SketchScan {
 public:
  explicit SketchScan(const Records& records)
      : records_(records), kernels_(lane_kernels(records.number_count())), slots_(records.size), place_(records) {
    std::vector<Row> rows(records.size);
    for (std::int64_t i = 0; i < records.size; ++i) rows[i] = static_cast<Row>(i);
    arrange(rows);
  }

  std::int64_t size() const { return size_; }

  // The farthest record from a place near the centre: blocks are ruled out by their norms.
  Row farthest_from(const Place& place) {
    image_.set(*sketch_, place);
    const auto greatest = std::max_element(norms_.begin(), norms_.end());
    reach_ = std::max(0.0, *greatest * (1.0 + sketch_->slack()));
    nearest_.reset(0);
    farthest_ = {};
    look_at_block(place, greatest - norms_.begin());
    for (std::int64_t first = 0; first < blocks(); first += kBlock) {
      Lanes lanes = kernels_.at_least(norms_.data() + first, least_norm());
      for (; lanes != 0; lanes &= lanes - 1) {
        const std::int64_t block = first + std::countr_zero(lanes);
        const float limit = sketch_->far_limit(farthest_.distance, sizes());
        drifted_ += norms_[block] < limit;
        if (kernels_.far_images(store_.images(block), store_.codes(block), image_query(place), limit) != 0) {
          look_at_block(place, block);
        }
      }
    }
    if (drifted_ > kPatience * blocks()) rearrange();
    return farthest_.row;
  }

  // Finds `row` and its k-1 nearest, and the farthest record in the same pass if it will be asked for.
  void gather(Row row, std::size_t k, std::vector<Row>& group, bool farthest_too) {
    locate(row, place_);
    image_.set(*sketch_, place_);
    nearest_.reset(k - 1, row);
    farthest_ = farthest_too ? Farthest{} : nobody();
    pass(place_);
    group.assign(1, row);
    tied_ = farthest_.row == row;
    for (const auto& neighbour : nearest_.found()) {
      group.push_back(neighbour.row);
      tied_ |= neighbour.row == farthest_.row;
    }
  }

  // The record farthest from the one given to gather (farthest too), once its group is removed.
  Row farthest_from_last() const {
    // Nearest and farthest at once: then everybody else is exactly as far, and the lowest row left is the farthest.
    return tied_ ? lowest_row() : farthest_.row;
  }

  // The nearest record other than `row`, which itself may be in the index or not; at infinity if there is none.
  Neighbour nearest(Row row) {
    place_.set(records_, row);
    image_.set(*sketch_, place_);
    nearest_.reset(1, row);
    farthest_ = nobody();
    pass(place_);
    return nearest_.first();
  }

  // The place of a record of the index.
  void locate(Row row, Place& place) const { store_.get(slots_[row], place); }

  void remove(std::span<const Row> rows) {
    for (const Row row : rows) {
      const std::int64_t slot = slots_[row];
      const std::int64_t last = --size_;
      if (slot != last) {
        store_.move(last, slot);
        slots_[store_.row(slot)] = static_cast<Row>(slot);
      }
      tighten(slot / kBlock);
      tighten(last / kBlock);
    }
  }
  void remove(Row row) { remove({&row, 1}); }

  template <class Visit>
  void for_each(Visit visit) const {
    for (std::int64_t i = 0; i < size_; ++i) visit(store_.row(i));
  }

 private:
  static constexpr float kNever = std::numeric_limits<float>::infinity();
  static constexpr std::int64_t kPatience = 16;

  // A farthest record that nobody beats: asks a pass not to look for one.
  static Farthest nobody() { return {std::numeric_limits<double>::infinity(), -1}; }

  std::int64_t blocks() const { return (size_ + kBlock - 1) / kBlock; }
  double sizes() const { return image_.size + std::sqrt(reach_); }

  // Puts the records in the order of their norms from where their centre is now.
  void arrange(std::vector<Row>& rows) {
    sketch_ = std::make_unique<Sketch>(records_, rows);
    size_ = static_cast<std::int64_t>(rows.size());
    std::vector<float> norms(records_.size);
    for (const Row row : rows) {
      float norm = 0.0F;
      for (int j = 0; j < records_.number_count(); ++j) {
        const float image = sketch_->image(records_.number(row, j), j);
        norm += image * image;
      }
      norms[row] = norm;
    }
    std::sort(rows.begin(), rows.end(), [&](Row a, Row b) { return norms[a] > norms[b]; });
    store_ = BlockStore(records_, blocks(), sketch_.get());
    for (std::int64_t i = 0; i < size_; ++i) {
      store_.put(i, records_, rows[i]);
      slots_[rows[i]] = static_cast<Row>(i);
    }
    norms_.assign((blocks() + kBlock - 1) / kBlock * kBlock, -kNever);
    for (std::int64_t block = 0; block < blocks(); ++block) tighten(block);
    reach_ = norms_.empty() ? 0.0 : norms_.front() * (1.0 + sketch_->slack());
    weight_ = 0.0;
    for (int j = 0; j < records_.code_count; ++j) weight_ += sketch_->weights()[j];
    drifted_ = 0;
  }

  void rearrange() {
    std::vector<Row> rows;
    rows.reserve(size_);
    for_each([&](Row row) { rows.push_back(row); });
    arrange(rows);
  }

  void tighten(std::int64_t block) {
    const auto count = static_cast<int>(std::clamp<std::int64_t>(size_ - block * kBlock, 0, kBlock));
    norms_[block] =
        count == 0 ? -kNever : kernels_.greatest_norm(store_.images(block), records_.number_count(), count);
  }

  // A record at least as far as the best has at least this norm: |v| >= |v - u| - |u|, codes aside.
  float least_norm() const {
    const double limit = sketch_->far_limit(farthest_.distance, sizes()) - weight_ * (1.0 + sketch_->slack());
    const double root = limit > 0.0 ? std::sqrt(limit) - image_.size : 0.0;
    return root > 0.0 ? static_cast<float>(root * root * (1.0 - 4.0 * sketch_->slack())) : -kNever;
  }

  ImageQuery image_query(const Place& place) const {
    return {image_.numbers.data(), records_.number_count(), place.codes.data(), sketch_->weights(),
            records_.code_count};
  }

  // Offers every record that may matter to nearest_ and farthest_.
  void pass(const Place& place) {
    const ImageQuery query = image_query(place);
    const bool near_only = farthest_.row < 0 && farthest_.distance > 0.0;  // that is nobody()
    for (std::int64_t block = 0;; ++block) {
      const float near = sketch_->near_limit(nearest_.bound(), sizes());
      block = near_only ? kernels_.seek_near_images(store_.images(), store_.codes(), block, blocks(), query, near)
                        : kernels_.seek_images(store_.images(), store_.codes(), block, blocks(), query, near,
                                               sketch_->far_limit(farthest_.distance, sizes()));
      if (block == blocks()) return;
      look_at_block(place, block);
    }
  }

  void look_at_block(const Place& place, std::int64_t block) {
    const Query query{place.numbers.data(), records_.number_count(), place.codes.data(), records_.code_weights.data(),
                      records_.code_count};
    alignas(64) double distances[kBlock];
    kernels_.distances(store_.numbers(block), store_.codes(block), query, distances);
    const std::int64_t start = block * kBlock;
    for (std::int64_t i = start; i < std::min(start + kBlock, size_); ++i) {
      nearest_.offer(distances[i - start], store_.row(i));
      farthest_.offer(distances[i - start], store_.row(i));
    }
  }

  Row lowest_row() const {
    Row lowest = store_.row(0);
    for (std::int64_t i = 1; i < size_; ++i) lowest = std::min(lowest, store_.row(i));
    return lowest;
  }

  const Records& records_;
  LaneKernels kernels_;
  std::unique_ptr<Sketch> sketch_;
  BlockStore store_;
  std::int64_t size_ = 0;
  std::vector<Row> slots_;  // where each remaining row stands
  Lines<float> norms_;      // greatest norm in each block
  double reach_ = 0.0;      // greatest norm of all, generously
  double weight_ = 0.0;     // of all codes together, among images
  std::int64_t drifted_ = 0;  // blocks looked at only because the average has moved
  Place place_;
  SketchedPlace image_;
  Nearest nearest_;
  Farthest farthest_;
  bool tied_ = false;
};

}  // namespace shoal
