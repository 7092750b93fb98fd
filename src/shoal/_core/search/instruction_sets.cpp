#include "search/instruction_sets.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "bindings.hpp"

namespace shoal {

void bind_instruction_sets(nb::module_& module) {
  module.def("instruction_sets", &instruction_sets);
  module.def(
      "use_instruction_set",
      [](const std::string& name) {
        if (!use_instruction_set(name)) throw std::invalid_argument("this processor cannot run " + name);
      },
      nb::arg("name"));
}

}  // namespace shoal
