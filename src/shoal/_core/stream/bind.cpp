// The door to the stream engine.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <stdexcept>

#include "bindings.hpp"
#include "stream/engine.hpp"

namespace shoal {

using stream::Drop;
using stream::Engine;
using stream::Operator;
using stream::Releases;
using stream::Settings;

namespace {

// One stream, one thread: a second caller is told so instead of racing.
class Turn {
 public:
  explicit Turn(std::atomic<bool>& busy) : busy_(busy) {
    if (busy_.exchange(true)) throw std::runtime_error("a stream is used by one thread at a time");
  }
  ~Turn() { busy_ = false; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::atomic<bool>& busy_;
};

class StreamEngine {
 public:
  explicit StreamEngine(Settings settings) : engine_(std::move(settings)) {}

  Engine& engine() { return engine_; }

  nb::object push(const std::vector<double>& cells, std::int64_t subject, const std::vector<double>& confidential) {
    const Turn turn(busy_);
    row_.resize(engine_.settings().axes().size());
    const int coords = engine_.settings().axes().coords;
    std::copy_n(cells.data(), coords, row_.data());
    std::copy(cells.begin() + coords, cells.end(), row_.begin() + coords + 1);
    Releases out;
    engine_.push(row_.data(), subject, confidential.data(), out);
    return to_python(out);
  }

  nb::object push_many(Matrix<double> cells, Vector<std::int64_t> subjects, Matrix<double> confidential) {
    const Turn turn(busy_);
    Releases out;
    {
      nb::gil_scoped_release release;
      const std::size_t count = cells.shape(0), width = confidential.shape(1);
      const int columns = static_cast<int>(cells.shape(1)), coords = engine_.settings().axes().coords;
      row_.resize(columns + 1);
      std::vector<double> hidden(width);
      for (std::size_t i = 0; i < count; ++i) {
        for (int j = 0; j < columns; ++j) row_[j < coords ? j : j + 1] = cells.data()[j * count + i];
        for (std::size_t j = 0; j < width; ++j) hidden[j] = confidential.data()[j * count + i];
        engine_.push(row_.data(), subjects.shape(0) > 0 ? subjects.data()[i] : 0, hidden.data(), out);
      }
    }
    return to_python(out);
  }

  nb::object expire() {
    const Turn turn(busy_);
    Releases out;
    engine_.expire(out);
    return to_python(out);
  }

  nb::object flush() {
    const Turn turn(busy_);
    Releases out;
    {
      nb::gil_scoped_release release;
      engine_.flush(out);
    }
    return to_python(out);
  }

  nb::bytes save() const {
    const std::string state = engine_.save();
    return nb::bytes(state.data(), state.size());
  }

  nb::dict tally() const {
    const auto& tally = engine_.tally();
    nb::dict result;
    result["arrived"] = engine_.arrived();
    result["buffered"] = engine_.buffered();
    result["released"] = tally.released;
    result["groups"] = tally.groups;
    result["joined"] = tally.joined;
    result["dropped_subjects"] = tally.dropped_subjects;
    result["dropped_close"] = tally.dropped_close;
    result["squared_error"] = tally.squared_error;
    result["absolute_error"] = tally.absolute_error;
    result["largest_spread"] = tally.largest_spread;
    result["total_spread"] = tally.total_spread;
    result["delays"] = to_numpy(std::vector<std::int64_t>(tally.delays));
    return result;
  }

 private:
  // None when nothing left: most calls that push one tuple.
  static nb::object to_python(Releases& out) {
    if (out.positions.empty() && out.dropped.empty()) return nb::none();
    return nb::make_tuple(to_numpy(std::move(out.positions)), to_numpy(std::move(out.sizes)),
                          to_numpy(std::move(out.classes)), to_numpy(std::move(out.at)),
                          to_numpy(std::move(out.coords)), to_numpy(std::move(out.ranks)),
                          to_numpy(std::move(out.modes)), to_numpy(std::move(out.errors)),
                          to_numpy(std::move(out.dropped)), to_numpy(std::move(out.reasons)));
  }

  Engine engine_;
  std::vector<double> row_;
  std::atomic<bool> busy_{false};
};

// Settings from the keywords of a call. A field that is missing, unknown or of another type is said by name.
Settings filled(const nb::kwargs& fields) {
  Settings settings;
  std::size_t known = 0;
  Settings::each_field([&](const char* name, auto member) {
    if (!fields.contains(name)) throw nb::type_error(("a stream's settings lack " + std::string(name)).c_str());
    if (!nb::try_cast(fields[name], settings.*member)) {
      throw nb::type_error(("a stream's settings have another type in " + std::string(name)).c_str());
    }
    ++known;
  });
  if (fields.size() > known) throw nb::type_error("a stream's settings have a field that is not known");
  return settings;
}

}  // namespace

void bind_stream(nb::module_& module) {
  nb::enum_<Operator>(module, "Operator", nb::is_arithmetic())
      .value("mean", Operator::mean)
      .value("median", Operator::median)
      .value("convex_median", Operator::convex_median)
      .value("mode", Operator::mode)
      .value("draw", Operator::draw);
  nb::enum_<Drop>(module, "Drop", nb::is_arithmetic(), "Why a tuple was dropped.")
      .value("too_few_subjects", Drop::too_few_subjects)
      .value("not_close", Drop::not_close);
  nb::class_<Settings> settings(module, "StreamSettings", "Every field is given, by name.");
  settings.def("__init__", [](Settings* self, const nb::kwargs& fields) { new (self) Settings(filled(fields)); });
  Settings::each_field([&](const char* name, auto member) { settings.def_ro(name, member); });
  nb::class_<StreamEngine>(module, "StreamEngine")
      .def(nb::init<Settings>(), nb::arg("settings"))
      .def("push", &StreamEngine::push, nb::arg("cells"), nb::arg("subject"), nb::arg("confidential"))
      .def("push_many", &StreamEngine::push_many, nb::arg("cells"), nb::arg("subjects"), nb::arg("confidential"))
      .def("expire", &StreamEngine::expire)
      .def("flush", &StreamEngine::flush)
      .def("save", &StreamEngine::save)
      .def("load",
           [](StreamEngine& self, nb::bytes state) {
             self.engine().load(static_cast<const char*>(state.data()), state.size());
           })
      .def_prop_ro("oldest", [](StreamEngine& self) { return self.engine().oldest(); })
      .def("waiting", [](StreamEngine& self) { return to_numpy(self.engine().waiting()); })
      .def("waiting_cells", [](StreamEngine& self) { return to_numpy(self.engine().waiting_cells()); })
      .def("tally", &StreamEngine::tally);
}

}  // namespace shoal
