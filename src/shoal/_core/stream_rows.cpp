#include "stream_rows.hpp"

#include <algorithm>
#include <cstring>

namespace shoal::stream {

// One build for every x86-64: the loop is compiled per instruction set and chosen at load time. Each version takes the
// same operations in the same order, without fused multiply-add, so they agree to the last bit.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define SHOAL_PER_PROCESSOR __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SHOAL_PER_PROCESSOR
#endif

SHOAL_PER_PROCESSOR
void squared_distances(const double* columns, std::int64_t stride, std::int64_t count, const double* centre,
                       const double* scales, int width, double* result) {
#if defined(__GNUC__)
  // One vector for eight rows: left to itself the compiler vectorises the short loop over axes instead.
  using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));
  for (std::int64_t i = 0; i < count; i += kLanes) {
    Lanes sums{};
    const double* values = columns + i;
    for (int a = 0; a < width; ++a, values += stride) {
      Lanes difference;
      std::memcpy(&difference, values, sizeof difference);
      difference = (difference - centre[a]) * scales[a];
      sums += difference * difference;
    }
    std::memcpy(result + i, &sums, sizeof sums);
  }
#else
  std::fill_n(result, count, 0.0);
  for (int a = 0; a < width; ++a) {
    for (std::int64_t i = 0; i < count; ++i) {
      const double difference = (columns[a * stride + i] - centre[a]) * scales[a];
      result[i] += difference * difference;
    }
  }
#endif
}

}  // namespace shoal::stream
