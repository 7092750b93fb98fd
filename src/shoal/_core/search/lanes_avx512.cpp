// The loops of lanes_isa.inl for processors with AVX-512.
#include <immintrin.h>

#include <cstring>
#include <limits>

#include "platform.hpp"
#include "search/lanes.hpp"

namespace shoal::avx512 {
#include "search/lanes_isa.inl"
}
