// The portable integers, within reach of tests.
#include "exact/int128.hpp"

#include <nanobind/stl/pair.h>

#include <cstdint>
#include <utility>

#include "bindings.hpp"

namespace shoal {
namespace {

using Halves = std::pair<std::int64_t, std::uint64_t>;  // high and low

Int128 whole(Halves halves) { return Int128::of(static_cast<std::uint64_t>(halves.first), halves.second); }
Halves halves(Int128 value) { return {static_cast<std::int64_t>(value.high()), value.low()}; }

nb::dict int128(Halves one, Halves other) {
  const Int128 a = whole(one), b = whole(other);
  nb::dict result;
  result["negative"] = halves(-a);
  result["sum"] = halves(a + b);
  result["difference"] = halves(a - b);
  result["product"] = halves(a * b);
  result["less"] = a < b;
  result["equal"] = a == b;
  result["rounded"] = static_cast<double>(a);
  return result;
}

}  // namespace

void bind_int128(nb::module_& module) { module.def("int128", &int128, nb::arg("a"), nb::arg("b")); }

}  // namespace shoal
