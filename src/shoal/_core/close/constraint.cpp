#include "close/constraint.hpp"

#include "bindings.hpp"
#include "close/changing_groups.hpp"
#include "group/groups.hpp"

namespace shoal {
namespace {

nb::tuple judge(const Constraint& constraint, const Vector<std::int64_t>& labels, std::int64_t count) {
  std::vector<double> shortfalls(count);
  std::vector<std::uint8_t> met(count);
  {
    nb::gil_scoped_release release;
    const Groups groups(as_span(labels), count);
    Scratch scratch;
    std::vector<std::int32_t> codes;
    Histogram histogram;
    for (std::int64_t group = 0; group < count; ++group) {
      codes.clear();
      for (const std::int32_t row : groups[group]) codes.push_back(constraint.attribute().code(row));
      histogram.assign(codes);
      const Verdict verdict = constraint.judge(histogram, scratch);
      shortfalls[group] = verdict.shortfall;
      met[group] = verdict.met;
    }
  }
  return nb::make_tuple(to_numpy(std::move(shortfalls)), to_numpy(std::move(met)));
}

// Whether a group, given by its codes, would meet the constraint without one of them and with another one: every answer
// for each of the pairs.
OutVector<std::uint8_t> meets(const Constraint& constraint, const Vector<std::int32_t>& codes,
                              const Vector<std::int32_t>& without, const Vector<std::int32_t>& with) {
  std::vector<std::int32_t> sorted(as_span(codes).begin(), as_span(codes).end());
  std::sort(sorted.begin(), sorted.end());
  const std::unique_ptr<Standing> standing = standing_of(constraint);
  const Wide sum = standing->sum_up(sorted);
  std::vector<std::uint8_t> answers;
  for (std::size_t i = 0; i < as_span(without).size(); ++i) {
    answers.push_back(standing->meets(sorted, sum, as_span(without)[i], as_span(with)[i]));
  }
  return to_numpy(std::move(answers));
}

}  // namespace

void bind_constraint(nb::module_& module) {
  // Constraints refer to their attribute, so they keep it alive.
  const auto kept = nb::keep_alive<1, 2>();
  nb::class_<Constraint>(module, "Constraint")
      .def("judge", &judge, nb::arg("labels"), nb::arg("count"))
      .def("meets", &meets, nb::arg("codes"), nb::arg("without"), nb::arg("with_"));
  nb::class_<Closeness, Constraint>(module, "Closeness")
      .def(nb::init<const Attribute&, std::int64_t, std::int64_t>(), kept, nb::arg("attribute"), nb::arg("numerator"),
           nb::arg("denominator"));
  nb::class_<Distinct, Constraint>(module, "Distinct")
      .def(nb::init<const Attribute&, std::int64_t>(), kept, nb::arg("attribute"), nb::arg("least"));
  nb::class_<Entropy, Constraint>(module, "Entropy")
      .def(nb::init<const Attribute&, double>(), kept, nb::arg("attribute"), nb::arg("least"));
  nb::class_<Recursive, Constraint>(module, "Recursive")
      .def(nb::init<const Attribute&, std::int64_t, std::int64_t, std::int64_t>(), kept, nb::arg("attribute"),
           nb::arg("numerator"), nb::arg("denominator"), nb::arg("least"));
  nb::class_<Dominance, Constraint>(module, "Dominance")
      .def(
          "__init__",
          [](Dominance* self, const Attribute& attribute, const Vector<double>& weights,
             const Vector<std::int32_t>& contributors, double share) {
            new (self) Dominance(attribute, as_span(weights), as_span(contributors), share);
          },
          kept, nb::arg("attribute"), nb::arg("weights"), nb::arg("contributors"), nb::arg("share"));
}

}  // namespace shoal
