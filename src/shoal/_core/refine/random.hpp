// Numbers that look random and are the same everywhere: one stream from each seed.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace shoal::refine {

// SplitMix64 (Steele et al. 2014): a counter, well mixed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15U;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31);
  }

  // Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

// What is exponentially distributed with mean 1, by eight random bits: the Metropolis rule accepts a change for the
// worse of up to the temperature times this.
class Exponential {
 public:
  Exponential() {
    for (int i = 0; i < 256; ++i) values_[i] = static_cast<float>(-std::log((i + 0.5) / 256.0));
  }
  float of(std::uint64_t bits) const { return values_[bits & 255]; }

 private:
  std::array<float, 256> values_;
};

// A number below `count` from 16 random bits; `count` is far below 2^16 or need not be met evenly.
inline std::uint64_t below(std::uint64_t bits, std::uint64_t count) { return ((bits & 0xffff) * count) >> 16; }

}  // namespace shoal::refine
