// Progress and Ctrl-C for kernels that run with the GIL released.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <cstdint>

namespace shoal {

// A kernel calls tick(done) as often as it likes; about ten times a second the GIL is taken, pending signals are
// raised as Python exceptions and the callback, if any, hears how many of `total` records are settled.
class Progress {
 public:
  Progress(nanobind::object callback, std::int64_t total) : callback_(std::move(callback)), total_(total) {}

  void tick(std::int64_t done) {
    if (++calls_ < stride_) return;
    calls_ = 0;
    const auto now = Clock::now();
    const auto waited = now - last_;
    // Aim at one look at the clock per millisecond or so, whatever a step costs.
    if (waited < std::chrono::microseconds(200) && stride_ < 4096) stride_ *= 2;
    if (waited > std::chrono::milliseconds(5)) stride_ = 1;  // steps may become slow at once
    if (now - reported_ >= std::chrono::milliseconds(100)) {
      report(done);
      reported_ = now;
    }
    last_ = Clock::now();
  }

  void finish() { report(total_); }

 private:
  using Clock = std::chrono::steady_clock;

  void report(std::int64_t done) {
    nanobind::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
    if (!callback_.is_none()) callback_(done, total_);
  }

  nanobind::object callback_;
  std::int64_t total_;
  std::int64_t calls_ = 0;
  std::int64_t stride_ = 1;
  Clock::time_point last_ = Clock::now();
  Clock::time_point reported_ = Clock::now();
};

}  // namespace shoal
