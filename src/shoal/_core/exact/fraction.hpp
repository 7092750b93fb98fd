// Ratios of wide integers, compared exactly.
#pragma once

#include <cmath>
#include <utility>

#include "exact/wide.hpp"

namespace shoal {

struct Fraction {
  Wide numerator = 0;
  Wide denominator = 1;  // above 0

  friend bool operator<(const Fraction& one, const Fraction& other) {
    // Each quotient is off by fewer than four parts in 2^53; what is farther apart than that needs no more.
    const double a = one.rounded(), b = other.rounded();
    if (std::abs(a - b) > 0x1p-50 * (std::abs(a) + std::abs(b))) return a < b;
    return less(one.numerator, one.denominator, other.numerator, other.denominator);
  }

  double rounded() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }

  // Whether a / b < c / d, without a product that could overflow: whole parts are compared first, then the reciprocals
  // of what is left over, as in continued fractions.
  static bool less(Wide a, Wide b, Wide c, Wide d) {
    if (a < 0 || c < 0) {
      if (a >= 0 || c >= 0) return a < 0;
      a = -std::exchange(c, -a);  // -|a| / b < -|c| / d where |c| / d < |a| / b
      std::swap(b, d);
    }
    while (true) {
      const Wide left = a / b, right = c / d;
      if (left != right) return left < right;
      a = a % b;
      c = c % d;
      if (a == 0 || c == 0) return c != 0;
      // a / b < c / d where d / c < b / a.
      std::swap(a, d);
      std::swap(b, c);
    }
  }
};

}  // namespace shoal
