#include "distances.hpp"

namespace shoal::avx2 {
#include "distances_isa.inl"
}
