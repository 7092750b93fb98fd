#include "distances.hpp"

namespace shoal::avx512 {
#include "distances_isa.inl"
}
