// A sketch of the records in floats: half the memory, twice the lanes, and good enough to rule records out.
//
// The image of x is y = (x - centre) * scale, rounded to floats; the scale is a power of two that brings the records
// into [-1, 1]. Trees and scans prune among images, where no care is taken of rounding. All the care is here: a limit
// on the distance of records is turned into a limit on the distance of images that is as much wider as the sketch
// can be off. What it does not rule out is measured in doubles, so a sketch can never change an answer.
//
// How far it can be off. An image misses its true place by at most 2^-24 of its size, so the distance of the images
// of a place z and a record y is within eta = 2^-24 (|z| + |y|) of the true one, scaled. Its square, computed in
// floats from d + c terms, has a relative error of at most (d + c + 2) 2^-24. The computed distance of the records
// themselves, in doubles, has one of (d + c + 2) 2^-53, and loses up to 2^-1074 per term where squares underflow.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "search/lanes.hpp"
#include "search/records.hpp"

namespace shoal {

class Sketch {
 public:
  Sketch() = default;

  Sketch(const Records& records, std::span<const Row> rows)
      : terms_(records.number_count() + records.code_count), centre_(records.number_count(), 0.0) {
    const double share = 1.0 / static_cast<double>(std::max<std::size_t>(rows.size(), 1));
    double reach = 0.0, extreme = 0.0;
    for (int j = 0; j < records.number_count(); ++j) {
      double least = std::numeric_limits<double>::infinity(), greatest = -least;
      for (const Row row : rows) {
        const double value = records.number(row, j);
        centre_[j] += value * share;
        least = std::min(least, value);
        greatest = std::max(greatest, value);
      }
      reach = std::max({reach, greatest - centre_[j], centre_[j] - least});
      extreme = std::max({extreme, greatest, -least});
    }
    blind_ = extreme > 0x1p1000;
    if (blind_) {
      std::fill(centre_.begin(), centre_.end(), 0.0);
      scale_ = 0.0;
    } else if (reach > 0.0) {
      scale_ = std::ldexp(1.0, std::clamp(-std::ilogb(reach) - 1, -kExponents, kExponents));
    }
    for (int j = 0; j < records.code_count; ++j) {
      weights_.push_back(static_cast<float>(records.code_weights[j] * scale_ * scale_));
    }
  }

  float image(double value, int attribute) const {
    return static_cast<float>((value - centre_[attribute]) * scale_);
  }
  // The images of a block of records.
  void draw(const double* numbers, float* images) const {
    for (std::size_t j = 0; j < centre_.size(); ++j) {
      for (int i = 0; i < kBlock; ++i) images[j * kBlock + i] = image(numbers[j * kBlock + i], static_cast<int>(j));
    }
  }
  const float* weights() const { return weights_.data(); }

  // The greatest squared distance of images that a record at squared distance `bound` from the place can have, where
  // `sizes` is |z| + |y|.
  float near_limit(double bound, double sizes) const {
    if (bound < 0.0) return -1.0F;
    const double wider = (bound + underflow()) * (1.0 + terms_ * 0x1p-51);
    const double root = std::sqrt(wider * scale_ * scale_) + eta(sizes);
    const double limit = root * root * (1.0 + slack()) + kTiny;
    return limit < kHuge ? std::nextafter(static_cast<float>(limit), kInfinity) : kInfinity;
  }

  // The least squared distance of images that a record at squared distance `bound` from the place can have.
  float far_limit(double bound, double sizes) const {
    const double finite = std::min(bound, std::numeric_limits<double>::max());
    const double narrower = (finite - underflow()) * (1.0 - terms_ * 0x1p-51);
    const double root = narrower > 0.0 && !blind_ ? std::sqrt(narrower * scale_ * scale_) - eta(sizes) : 0.0;
    if (root <= 0.0) return -kInfinity;
    const double limit = root * root * (1.0 - slack()) - kTiny;
    return std::nextafter(static_cast<float>(std::min(limit, kHuge)), -kInfinity);
  }

  // Whether records so far from each other are hardly told apart by their images.
  bool blurs(double extent) const { return extent * scale_ < 0x1p-20; }

  // Relative error of a sum over the attributes in floats, generously.
  double slack() const { return (terms_ + 8.0) * 0x1p-23; }

 private:
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();
  static constexpr double kHuge = 1e38;   // the end of floats
  static constexpr double kTiny = 1e-40;  // what floats lose in sums of underflowing squares
  static constexpr int kExponents = 1000;

  double eta(double sizes) const { return 0x1p-24 * sizes + terms_ * 0x1p-148; }
  double underflow() const { return (terms_ + 2.0) * 0x1p-1073; }

  double terms_ = 0.0;
  std::vector<double> centre_;
  double scale_ = 1.0;
  bool blind_ = false;  // records too far apart for doubles: every image is 0, and nothing is ruled out
  std::vector<float> weights_;
};

// The image of a place to measure from.
struct SketchedPlace {
  std::vector<float> numbers;
  double size = 0.0;  // |z|

  void set(const Sketch& sketch, const Place& place) {
    numbers.resize(place.numbers.size());
    size = 0.0;
    for (std::size_t j = 0; j < numbers.size(); ++j) {
      numbers[j] = sketch.image(place.numbers[j], static_cast<int>(j));
      size += static_cast<double>(numbers[j]) * numbers[j];
    }
    size = std::sqrt(size);
  }
};

}  // namespace shoal
