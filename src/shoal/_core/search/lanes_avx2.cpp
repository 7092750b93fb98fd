// The loops of lanes_isa.inl for processors with AVX2.
#include <immintrin.h>

#include <cstring>
#include <limits>

#include "platform.hpp"
#include "search/lanes.hpp"

namespace shoal::avx2 {
#include "search/lanes_isa.inl"
}
