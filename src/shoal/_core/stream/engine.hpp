// A stream from end to end: tuples arrive, groups leave (Domingo-Ferrer and Soria-Comas 2017, §V, Algorithm 3).
//
// Where streams have something of their own that tables have too, README.md in the folder above says why.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "stream/buffer.hpp"
#include "stream/closeness.hpp"
#include "stream/grouper.hpp"
#include "stream/leaving_order.hpp"
#include "stream/release.hpp"
#include "stream/scaling.hpp"
#include "stream/settings.hpp"
#include "stream/tally.hpp"

namespace shoal::stream {

// Lifetime: owns all it keeps. Arrays pushed are copied before push returns. The parts refer to the settings in here,
// so an engine stays where it was made.
class Engine {
 public:
  explicit Engine(Settings settings);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Cells in the order of the axes (the position's is ignored), NaN where missing.
  void push(const double* cells, std::int64_t subject, const double* confidential, Releases& out);
  // The oldest tuple leaves before its time, released or dropped: whoever holds the records has no room for more.
  void expire(Releases& out);
  // The end of the stream: everything leaves, released or dropped.
  void flush(Releases& out);

  const Settings& settings() const { return settings_; }
  const Tally& tally() const { return tally_; }
  std::int64_t arrived() const { return next_; }
  std::int64_t buffered() const { return buffer_.size(); }
  Position oldest() const { return oldest_; }  // the next position when the buffer is empty
  std::vector<Position> waiting() const { return buffer_.positions(oldest_, next_); }
  // Their cells as they came, tuple after tuple.
  std::vector<double> waiting_cells() const {
    const Axes axes = settings_.axes();
    std::vector<double> found;
    for (const Position p : waiting())
      for (int a = 0; a < axes.size(); ++a)
        if (a != axes.position()) found.push_back(buffer_.cells(p)[a]);
    return found;
  }

  std::string save() const;
  void load(const char* data, std::size_t size);

 private:
  // A released group that a tuple may still join.
  struct Class {
    std::int64_t number;
    std::vector<double> row;  // its values as a tuple would have them, and its mean position
    std::vector<double> coords;
    std::vector<std::int32_t> ranks;
    std::vector<Position> modes;
    std::vector<double> confidential;  // of all members
  };
  static constexpr std::size_t kClasses = 256;   // the latest groups may be joined,
  static constexpr std::size_t kMembers = 1024;  // until they have this many tuples: memory stays flat

  void settle(Position seed, bool ending, Releases& out);
  void release(const std::vector<Position>& group, Releases& out);
  bool join(Position seed, Releases& out);
  void drop(Position position, Drop reason, Releases& out);
  void remember(const std::vector<Position>& group);
  double squared_error(Position position, const std::vector<double>& coords, const std::vector<std::int32_t>& ranks,
                       const std::vector<double>& codes) const;
  void advance();
  Class load_class(StateReader& state) const;

  Settings settings_;
  Scaling scaling_;
  Buffer buffer_;
  Closeness closeness_;
  Grouper grouper_;
  GroupValue value_;
  LeavingOrder order_;
  Tally tally_;
  std::deque<Class> classes_;
  Position next_ = 0;
  Position oldest_ = 0;
};

}  // namespace shoal::stream
