// The baseline loops, and the choice among all of them.
#include "lanes.hpp"

namespace shoal {

namespace baseline {
#include "lanes_isa.inl"
}

#ifdef SHOAL_X86
namespace avx2 {
LaneKernels kernels(int number_count);
}
namespace avx512 {
LaneKernels kernels(int number_count);
}
#endif

LaneKernels lane_kernels(int number_count) {
#ifdef SHOAL_X86
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return avx512::kernels(number_count);
  }
  if (__builtin_cpu_supports("avx2")) return avx2::kernels(number_count);
#endif
  return baseline::kernels(number_count);
}

}  // namespace shoal
