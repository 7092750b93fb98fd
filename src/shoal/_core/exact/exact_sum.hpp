// An exact sum of doubles: what is added can be taken away again, in any order, and no bit is ever lost.
//
// A double is an integer of at most 53 bits times a power of two no smaller than 2^-1074. So every sum of doubles is
// one long integer in units of 2^-1074, kept here in 32-bit digits. Each digit sits in a 64-bit word: the spare bits
// take the carries of a billion additions before they must be passed on (a "small superaccumulator",
// R. M. Neal, Fast exact summation using small and large superaccumulators, 2015). Most additions do not get that far:
// they fit exactly into two doubles that stand in front.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "exact/double_double.hpp"

namespace shoal {

class ExactSum {
 public:
  void add(double value) {
    const Double2 high = two_sum(high_, value);
    if (!(std::abs(high.hi) < kLarge)) return accumulate(value);
    const Double2 low = two_sum(low_, high.lo);
    high_ = high.hi;
    low_ = low.hi;
    if (low.lo != 0.0) accumulate(low.lo);
  }
  void subtract(double value) { add(-value); }

  // The sum, rounded once to the nearest double (ties to even); infinity beyond the range of doubles.
  double rounded() const {
    if (!spilled_) return high_ + low_;
    ExactSum whole = *this;
    whole.accumulate(high_);
    whole.accumulate(low_);
    Digits& digits = whole.digits_;
    carry(digits);
    const bool negative = digits[kDigits - 1] < 0;
    if (negative) {
      for (auto& digit : digits) digit = -digit;
      carry(digits);
    }
    const double magnitude = round(digits);
    return negative ? -magnitude : magnitude;
  }

 private:
  static constexpr double kLarge = 0x1p1000;  // beyond this a sum of two doubles might overflow
  static constexpr std::int64_t kMask = 0xffffffff;
  static constexpr int kDigits = 68;  // 2098 bits of a double's range and 78 for the carries of a long sum
  static constexpr std::int64_t kSpare = std::int64_t{1} << 30;
  using Digits = std::array<std::int64_t, kDigits>;

  void accumulate(double value) {
    spilled_ = true;
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const int exponent = static_cast<int>(bits >> 52) & 0x7ff;
    std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
    int shift = 0;  // denormals are in units of 2^-1074 already
    if (exponent != 0) {
      mantissa |= std::uint64_t{1} << 52;
      shift = exponent - 1;
    }
    const int offset = shift & 31;
    std::int64_t* digit = digits_.data() + (shift >> 5);
    const std::int64_t sign = -static_cast<std::int64_t>(bits >> 63);  // 0 or -1: (x ^ sign) - sign is x or -x
    const std::uint64_t high = mantissa >> (32 - offset);
    digit[0] += (static_cast<std::int64_t>((mantissa << offset) & kMask) ^ sign) - sign;
    digit[1] += (static_cast<std::int64_t>(high & kMask) ^ sign) - sign;
    digit[2] += (static_cast<std::int64_t>(high >> 32) ^ sign) - sign;
    if (++pending_ == kSpare) {
      carry(digits_);
      pending_ = 0;
    }
  }

  // Leaves every digit but the last in [0, 2^32); the last carries the sign of the whole.
  static void carry(Digits& digits) {
    for (int i = 0; i + 1 < kDigits; ++i) {
      digits[i + 1] += digits[i] >> 32;
      digits[i] &= kMask;
    }
  }

  static double round(const Digits& digits) {
    int top = kDigits - 1;
    while (top >= 0 && digits[top] == 0) --top;
    if (top < 0) return 0.0;
    // 64 bits from the leading one down hold the 53 that stay and the first that goes; all below only break ties.
    const auto at = [&](int i) { return i < 0 ? std::uint64_t{0} : static_cast<std::uint64_t>(digits[i]); };
    const int lead = std::countl_zero(static_cast<std::uint32_t>(at(top)));
    std::uint64_t bits = (at(top) << 32 | at(top - 1)) << lead;
    if (lead > 0) bits |= at(top - 2) >> (32 - lead);
    bool sticky = ((at(top - 2) << lead) & kMask) != 0;
    for (int i = top - 3; i >= 0 && !sticky; --i) sticky = digits[i] != 0;

    const int unit = 32 * top + 31 - lead - 52;  // exponent of the last kept bit, in units of 2^-1074
    std::uint64_t kept = bits >> 11;
    const std::uint64_t dropped = bits & 0x7ff;
    if (dropped > 0x400 || (dropped == 0x400 && (sticky || (kept & 1) != 0))) ++kept;
    // Below 2^-1022 a double has no more than the bits we hold, so nothing was dropped and ldexp is exact.
    return std::ldexp(static_cast<double>(kept), unit - 1074);
  }

  double high_ = 0.0, low_ = 0.0;
  Digits digits_{};
  std::int64_t pending_ = 0;
  bool spilled_ = false;  // into the digits
};

}  // namespace shoal
