// The portable integers and the comparison of fractions, within reach of tests.
#include "exact/int128.hpp"

#include <nanobind/stl/pair.h>

#include <cstdint>
#include <utility>

#include "bindings.hpp"
#include "exact/fraction.hpp"

namespace shoal {
namespace {

using Halves = std::pair<std::int64_t, std::uint64_t>;  // high and low

Int128 portable(Halves halves) { return Int128::of(static_cast<std::uint64_t>(halves.first), halves.second); }
Halves halves(Int128 value) { return {static_cast<std::int64_t>(value.high()), value.low()}; }

Wide wide(Halves halves) {
  const Wide half = Wide(std::int64_t{1} << 32);
  return Wide(halves.first) * half * half + Wide(halves.second);
}

nb::dict int128(Halves one, Halves other) {
  const Int128 a = portable(one), b = portable(other);
  nb::dict result;
  result["negative"] = halves(-a);
  result["sum"] = halves(a + b);
  result["difference"] = halves(a - b);
  result["product"] = halves(a * b);
  result["less"] = a < b;
  result["equal"] = a == b;
  result["rounded"] = static_cast<double>(a);
  if (!a.is_negative() && b > 0) {
    result["quotient"] = halves(a / b);
    result["rest"] = halves(a % b);
  }
  return result;
}

std::pair<bool, bool> less_fraction(Halves a, Halves b, Halves c, Halves d) {
  return {Fraction{wide(a), wide(b)} < Fraction{wide(c), wide(d)}, Fraction::less(wide(a), wide(b), wide(c), wide(d))};
}

}  // namespace

void bind_int128(nb::module_& module) {
  module.def("int128", &int128, nb::arg("a"), nb::arg("b"));
  module.def("less_fraction", &less_fraction, nb::arg("a"), nb::arg("b"), nb::arg("c"), nb::arg("d"));
}

}  // namespace shoal
