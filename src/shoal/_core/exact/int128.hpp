// Integers of 128 bits in standard C++, for compilers without their own. They wrap around, as unsigned ones do.
//
// Only what kernels use: sums, differences, products, comparisons, and the nearest double, rounded as the compilers' own
// conversion rounds it.
#pragma once

#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>
#include <type_traits>

namespace shoal {

class Int128 {
 public:
  constexpr Int128() = default;
  template <class T>
    requires std::is_integral_v<T>
  constexpr Int128(T value)  // implicit, as integers widen
      : low_(static_cast<std::uint64_t>(value)), high_(std::is_signed_v<T> && value < T{0} ? ~std::uint64_t{0} : 0) {}

  static constexpr Int128 of(std::uint64_t high, std::uint64_t low) {
    Int128 result;
    result.high_ = high;
    result.low_ = low;
    return result;
  }
  constexpr std::uint64_t high() const { return high_; }
  constexpr std::uint64_t low() const { return low_; }
  constexpr bool is_negative() const { return high_ >> 63 != 0; }

  constexpr Int128 operator-() const { return of(~high_ + (low_ == 0), ~low_ + 1); }

  friend constexpr Int128 operator+(Int128 a, Int128 b) {
    const std::uint64_t low = a.low_ + b.low_;
    return of(a.high_ + b.high_ + (low < a.low_), low);
  }
  friend constexpr Int128 operator-(Int128 a, Int128 b) {
    return of(a.high_ - b.high_ - (a.low_ < b.low_), a.low_ - b.low_);
  }
  // The low half of the product is the same for signed and unsigned numbers.
  friend constexpr Int128 operator*(Int128 a, Int128 b) {
    constexpr std::uint64_t half = 0xffffffff;
    const std::uint64_t a0 = a.low_ & half, a1 = a.low_ >> 32, b0 = b.low_ & half, b1 = b.low_ >> 32;
    const std::uint64_t cross = (a0 * b0 >> 32) + (a1 * b0 & half) + (a0 * b1 & half);
    const std::uint64_t carried = a1 * b1 + (a1 * b0 >> 32) + (a0 * b1 >> 32) + (cross >> 32);
    return of(carried + a.high_ * b.low_ + a.low_ * b.high_, a.low_ * b.low_);
  }

  constexpr Int128& operator+=(Int128 other) { return *this = *this + other; }
  constexpr Int128& operator-=(Int128 other) { return *this = *this - other; }

  friend constexpr bool operator==(Int128 a, Int128 b) { return a.high_ == b.high_ && a.low_ == b.low_; }
  friend constexpr std::strong_ordering operator<=>(Int128 a, Int128 b) {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;  // flipped, signed numbers compare as unsigned ones do
    if (a.high_ != b.high_) return (a.high_ ^ sign) <=> (b.high_ ^ sign);
    return a.low_ <=> b.low_;
  }

  // The nearest double, ties to even: of 64 leading bits 53 stay, and whether anything stood below them breaks ties.
  explicit operator double() const {
    const Int128 magnitude = is_negative() ? -*this : *this;
    double result = static_cast<double>(magnitude.low_);
    if (magnitude.high_ != 0) {
      const int lead = std::countl_zero(magnitude.high_);
      std::uint64_t bits = magnitude.high_ << lead;
      if (lead > 0) bits |= magnitude.low_ >> (64 - lead);
      bits |= (magnitude.low_ << lead) != 0;
      result = std::ldexp(static_cast<double>(bits), 64 - lead);
    }
    return is_negative() ? -result : result;
  }

 private:
  std::uint64_t low_ = 0;
  std::uint64_t high_ = 0;
};

}  // namespace shoal
