// Integers of 128 bits. The work of moving a group's values onto the table's is a sum of up to n·m·g units, which
// passes 64 bits at a few million records; kept as an integer, it can be compared with a threshold exactly.
#pragma once

#include "exact/int128.hpp"
#include "platform.hpp"

namespace shoal {

#if defined(SHOAL_INT128)
using Wide = NativeInt128;
#else
using Wide = Int128;
#endif

inline Wide absolute(Wide value) { return value < 0 ? -value : value; }

}  // namespace shoal
