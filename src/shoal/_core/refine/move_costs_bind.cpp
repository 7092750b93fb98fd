// What moves would change, within reach of tests. The search uses the class in space.hpp.
#include <memory>
#include <numeric>

#include "bindings.hpp"
#include "refine/space.hpp"
#include "search/record_arrays.hpp"

namespace shoal::refine {
namespace {

// Records stand in the order of their rows here.
class MoveCosts {
 public:
  MoveCosts(const RecordArrays& arrays, Vector<std::int64_t> labels, std::int64_t count)
      : arrays_(arrays), records_(arrays_.view()), frame_(frame_of(records_)), rows_(records_.size) {
    std::iota(rows_.begin(), rows_.end(), Row{0});
    const std::vector<Group> groups(labels.data(), labels.data() + labels.shape(0));
    groups_ = std::make_unique<GroupTable>(groups, count, 1, count);
    space_ = std::make_unique<Space<0>>(records_, rows_, frame_, *groups_);
  }

  double joining(Slot row, Group group) { return told(space_->joining(row, group)); }
  double leaving(Slot row) { return told(space_->leaving(row, groups_->of(row))); }

  OutVector<double> exchanging(Slot row, Group group) {
    std::vector<float> changes(groups_->members(group).size());
    space_->exchanging(row, groups_->of(row), group, changes.data());
    std::vector<double> all(changes.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = told(changes[i]);
    return to_numpy(std::move(all));
  }

  OutVector<Slot> members(Group group) const {
    const auto members = groups_->members(group);
    return to_numpy(std::vector<Slot>(members.begin(), members.end()));
  }

  double spread(Group group) const { return told(space_->spread(group)); }
  double cost(Group group) { return space_->cost(groups_->members(group)) * frame_.unit; }

 private:
  double told(float change) const { return static_cast<double>(change) * frame_.unit; }

  RecordArrays arrays_;
  Records records_;
  Frame frame_;
  std::vector<Row> rows_;
  std::unique_ptr<GroupTable> groups_;
  std::unique_ptr<Space<0>> space_;
};

}  // namespace
}  // namespace shoal::refine

namespace shoal {

void bind_move_costs(nb::module_& module) {
  using refine::MoveCosts;
  nb::class_<MoveCosts>(module, "MoveCosts", "What the moves of refinement would change.")
      .def(nb::init<const RecordArrays&, Vector<std::int64_t>, std::int64_t>(), nb::arg("records"), nb::arg("labels"),
           nb::arg("count"))
      .def("joining", &MoveCosts::joining, nb::arg("row"), nb::arg("group"))
      .def("leaving", &MoveCosts::leaving, nb::arg("row"))
      .def("exchanging", &MoveCosts::exchanging, nb::arg("row"), nb::arg("group"))
      .def("members", &MoveCosts::members, nb::arg("group"))
      .def("spread", &MoveCosts::spread, nb::arg("group"))
      .def("cost", &MoveCosts::cost, nb::arg("group"));
}

}  // namespace shoal
