#include "exact/exact_sum.hpp"

#include "bindings.hpp"

namespace shoal {

// The correctly rounded value of sum(added) - sum(removed).
static double exact_sum(Vector<double> added, Vector<double> removed) {
  nb::gil_scoped_release release;
  ExactSum sum;
  for (const double value : as_span(added)) sum.add(value);
  for (const double value : as_span(removed)) sum.subtract(value);
  return sum.rounded();
}

void bind_exact_sum(nb::module_& module) {
  module.def("exact_sum", &exact_sum, nb::arg("added"), nb::arg("removed"));
}

}  // namespace shoal
