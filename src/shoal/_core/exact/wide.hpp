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

// Whether a / b < c / d, for b and d above 0, without a product that could overflow: whole parts are compared first,
// then the reciprocals of what is left over (as continued fractions are).
inline bool less_fraction(Wide a, Wide b, Wide c, Wide d) {
  if (a < 0 || c < 0) {
    if (a >= 0 || c >= 0) return a < 0;
    const Wide negative = -a;  // -|a| / b < -|c| / d where |c| / d < |a| / b
    a = -c;
    c = negative;
    const Wide other = b;
    b = d;
    d = other;
  }
  bool less = true;  // what the answer is if a / b is the lesser of the fractions as they stand now
  while (true) {
    const Wide left = a / b, right = c / d;
    if (left != right) return (left < right) == less;
    a = a % b;
    c = c % d;
    if (a == 0 || c == 0) return less ? c != 0 : a != 0;
    // a / b < c / d where d / c < b / a.
    const Wide numerator = a, other = c;
    a = b;
    b = numerator;
    c = d;
    d = other;
    less = !less;
  }
}

}  // namespace shoal
