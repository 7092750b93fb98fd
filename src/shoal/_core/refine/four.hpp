// Four floats side by side: what a processor adds in one step, in the same order everywhere.
#pragma once

#include <cstring>

#include "platform.hpp"

namespace shoal::refine {

inline constexpr int kLanes = 4;

#if defined(SHOAL_VECTOR)

using Four = float SHOAL_VECTOR(kLanes * sizeof(float));

inline Four four_of(float value) { return Four{value, value, value, value}; }

#else

struct Four {
  float lanes[kLanes];
  float operator[](int lane) const { return lanes[lane]; }
};

template <class Operation>
Four each_lane(Four a, Four b, Operation operation) {
  for (int lane = 0; lane < kLanes; ++lane) a.lanes[lane] = operation(a.lanes[lane], b.lanes[lane]);
  return a;
}
inline Four operator+(Four a, Four b) { return each_lane(a, b, [](float x, float y) { return x + y; }); }
inline Four operator-(Four a, Four b) { return each_lane(a, b, [](float x, float y) { return x - y; }); }
inline Four operator*(Four a, Four b) { return each_lane(a, b, [](float x, float y) { return x * y; }); }
inline Four four_of(float value) { return {{value, value, value, value}}; }

#endif

inline Four load(const float* from) {
  Four loaded;
  std::memcpy(&loaded, from, sizeof(loaded));
  return loaded;
}
inline void store(Four four, float* to) { std::memcpy(to, &four, sizeof(four)); }
inline float total(Four sums) { return (sums[0] + sums[2]) + (sums[1] + sums[3]); }

}  // namespace shoal::refine
