#include <immintrin.h>

#include "lanes.hpp"

namespace shoal::avx2 {
#include "lanes_isa.inl"
}
