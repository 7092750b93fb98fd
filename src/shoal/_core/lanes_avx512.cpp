#include <immintrin.h>

#include "lanes.hpp"

namespace shoal::avx512 {
#include "lanes_isa.inl"
}
