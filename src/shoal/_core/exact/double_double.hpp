// Numbers of about 106 bits: the unevaluated sum of two doubles (Dekker 1971; Knuth, TAOCP 2, §4.2.2).
//
// Sums and products here err by a few 2⁻¹⁰⁶ of their largest operand, not of the result: who subtracts two numbers
// of the same size is left with what they had below it, and no more. That is half the work of the usual rules, and all
// that comparing sums to a common bound needs. Products are split by hand, so that the answer is the same with and
// without a fused multiply-add.
#pragma once

namespace shoal {

struct Double2 {
  double hi = 0.0;
  double lo = 0.0;

  double rounded() const { return hi + lo; }
};

// The rounded sum and its exact error.
inline Double2 two_sum(double a, double b) {
  const double sum = a + b;
  const double shadow = sum - a;
  return {sum, (a - (sum - shadow)) + (b - shadow)};
}

// The rounded product and its exact error; factors are below 2^995.
inline Double2 two_product(double a, double b) {
  constexpr double splitter = 134217729.0;  // 2^27 + 1
  const double product = a * b;
  const double ca = splitter * a;
  const double a_hi = ca - (ca - a);
  const double a_lo = a - a_hi;
  const double cb = splitter * b;
  const double b_hi = cb - (cb - b);
  const double b_lo = b - b_hi;
  return {product, ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo};
}

inline Double2 operator+(Double2 a, Double2 b) {
  const Double2 sum = two_sum(a.hi, b.hi);
  return {sum.hi, sum.lo + (a.lo + b.lo)};
}

inline Double2 operator-(Double2 a, Double2 b) { return a + Double2{-b.hi, -b.lo}; }

inline Double2 operator*(Double2 a, Double2 b) {
  const Double2 product = two_product(a.hi, b.hi);
  return {product.hi, product.lo + (a.hi * b.lo + a.lo * b.hi + a.lo * b.lo)};
}

inline Double2 square(Double2 a) { return a * a; }

inline bool operator<(Double2 a, Double2 b) { return (a - b).rounded() < 0.0; }

// The low part back below half a unit of the high one, where sums have let it grow.
inline Double2 normalised(Double2 a) { return two_sum(a.hi, a.lo); }

// 1 / m for a whole number m.
inline Double2 reciprocal(double m) {
  const double estimate = 1.0 / m;
  const Double2 product = two_product(estimate, m);
  return {estimate, ((1.0 - product.hi) - product.lo) / m};
}

}  // namespace shoal
