// The loops of lanes_isa.inl for processors with AVX-512.
#include <immintrin.h>

#include <cstring>
#include <limits>
#include <utility>

#include "platform.hpp"
#include "search/lanes.hpp"

#define SHOAL_UNROLLED 16
namespace shoal::avx512 {
#include "search/lanes_isa.inl"
}
