// The k-d tree itself, within reach of tests. Kernels use the class in kd_tree.hpp.
#include <nanobind/stl/pair.h>

#include "bindings.hpp"
#include "search/kd_tree.hpp"
#include "search/nearest_subjects.hpp"
#include "search/record_arrays.hpp"

namespace shoal {
namespace {

class KdTreeHandle {
 public:
  KdTreeHandle(const RecordArrays& arrays, Vector<Row> rows)
      : arrays_(arrays),
        records_(arrays_.view()),
        place_(records_),
        tree_(records_, std::vector<Row>(rows.data(), rows.data() + rows.shape(0))) {}

  std::int64_t size() const { return tree_.size(); }

  OutVector<Row> nearest(Row row, std::size_t count) {
    place_.set(records_, row);
    Nearest nearest(count, row);
    tree_.nearest(place_, nearest, row);
    std::vector<Row> rows;
    for (const auto& neighbour : nearest.sorted()) rows.push_back(neighbour.row);
    return to_numpy(std::move(rows));
  }

  OutVector<Row> nearest_subjects(Row row, std::size_t count) {
    place_.set(records_, row);
    NearestSubjects nearest(records_.subjects, nullptr);
    nearest.reset(count, row);
    tree_.nearest(place_, nearest, row);
    std::vector<Row> rows;
    nearest.take(rows);
    return to_numpy(std::move(rows));
  }

  std::pair<double, std::int64_t> nearest_ties(const RecordArrays& others, Row row) {
    place_.set(others.view(), row);
    NearestTies ties;
    tree_.nearest(place_, ties);
    return {ties.distance, ties.count};
  }

  Row farthest(Row row) {
    place_.set(records_, row);
    return tree_.farthest(place_).row;
  }

  std::int64_t far_visits(Row row) {
    place_.set(records_, row);
    std::int64_t visits = 0;
    tree_.farthest(place_, &visits);
    return visits;
  }

  void remove(Vector<Row> rows) { tree_.remove(as_span(rows)); }
  void insert(Row row) { tree_.insert(row); }

 private:
  RecordArrays arrays_;
  Records records_;
  Place place_;
  KdTree tree_;
};

}  // namespace

void bind_kd_tree(nb::module_& module) {
  nb::class_<KdTreeHandle>(module, "KdTree", "Nearest and farthest records among some rows, which may come and go.")
      .def(nb::init<const RecordArrays&, Vector<Row>>(), nb::arg("records"), nb::arg("rows"))
      .def("__len__", &KdTreeHandle::size)
      .def("nearest", &KdTreeHandle::nearest, nb::arg("row"), nb::arg("count"))
      .def("nearest_subjects", &KdTreeHandle::nearest_subjects, nb::arg("row"), nb::arg("count"))
      .def("nearest_ties", &KdTreeHandle::nearest_ties, nb::arg("records"), nb::arg("row"))
      .def("farthest", &KdTreeHandle::farthest, nb::arg("row"))
      .def("far_visits", &KdTreeHandle::far_visits, nb::arg("row"))
      .def("remove", &KdTreeHandle::remove, nb::arg("rows"))
      .def("insert", &KdTreeHandle::insert, nb::arg("row"));
}

}  // namespace shoal
