// The loops of lanes_isa.inl for processors with AVX2.
#include <immintrin.h>

#include <cstring>
#include <limits>
#include <utility>

#include "platform.hpp"
#include "search/lanes.hpp"

#define SHOAL_UNROLLED 16
namespace shoal::avx2 {
#include "search/lanes_isa.inl"
}
