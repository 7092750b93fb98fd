// The buffer: the tuples of the last δ+1 positions that were neither released nor dropped.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "exact/exact_sum.hpp"
#include "stream/index.hpp"
#include "stream/settings.hpp"
#include "stream/state.hpp"

namespace shoal::stream {

// Tuples stand in a ring by position, and by their rows in the index.
class Buffer {
 public:
  explicit Buffer(const Settings& settings)
      : settings_(settings),
        width_(settings.axes().size()),
        position_(settings.axes().position()),
        confidential_width_(settings.confidential_nominal.size()),
        ring_(settings.window()),
        index_(settings.axes(), settings.window(), settings.leaf),
        here_(ring_.size(), 0),
        rows_(ring_.size() * width_),
        cells_(ring_.size() * width_),
        subjects_(settings.subjects ? ring_.size() : 0),
        confidential_(ring_.size() * confidential_width_),
        sums_(settings.axes().first_code()),
        codes_(settings.axes().codes) {}

  std::int64_t size() const { return index_.size(); }
  std::int64_t distinct_subjects() const {
    return settings_.subjects ? static_cast<std::int64_t>(live_.size()) : size();
  }
  // How many would be left without these tuples, in time that depends on them only.
  std::int64_t distinct_subjects_without(const std::vector<Position>& group) const {
    if (!settings_.subjects) return size() - static_cast<std::int64_t>(group.size());
    std::unordered_map<std::int64_t, std::int64_t> taken;
    for (const Position position : group) ++taken[subject(position)];
    std::int64_t left = distinct_subjects();
    for (const auto& [subject, count] : taken)
      if (live_.at(subject) == count) --left;
    return left;
  }
  bool holds(Position position) const { return here_[slot(position)] != 0; }
  const double* row(Position position) const { return rows_.data() + slot(position) * width_; }
  const double* cells(Position position) const { return cells_.data() + slot(position) * width_; }
  const double* confidential(Position position) const {
    return confidential_.data() + slot(position) * confidential_width_;
  }
  // A tuple without a named subject is a subject of its own.
  std::int64_t subject(Position position) const { return settings_.subjects ? subjects_[slot(position)] : position; }
  const Index& index() const { return index_; }

  // The place where the cells of the next tuple and its row are written, before `insert` takes them in.
  double* row_of(Position position) { return rows_.data() + slot(position) * width_; }
  double* cells_of(Position position) { return cells_.data() + slot(position) * width_; }
  double* confidential_of(Position position) { return confidential_.data() + slot(position) * confidential_width_; }

  void insert(Position position, std::int64_t subject, const Scales& scales) {
    here_[slot(position)] = 1;
    if (settings_.subjects) {
      subjects_[slot(position)] = subject;
      ++live_[subject];
    }
    index_.insert(row(position), scales);
    const double* values = row(position);
    for (std::size_t a = 0; a < sums_.size(); ++a)
      if (!is_position(a)) sums_[a].add(values[a]);
    for (std::size_t c = 0; c < codes_.size(); ++c) ++codes_[c][values[sums_.size() + c]];
  }

  void remove(Position position) {
    here_[slot(position)] = 0;
    index_.remove(position);
    const double* values = row(position);
    for (std::size_t a = 0; a < sums_.size(); ++a)
      if (!is_position(a)) sums_[a].subtract(values[a]);
    for (std::size_t c = 0; c < codes_.size(); ++c) {
      const auto code = codes_[c].find(values[sums_.size() + c]);
      if (--code->second == 0) codes_[c].erase(code);
    }
    if (!settings_.subjects) return;
    const auto entry = live_.find(subjects_[slot(position)]);
    if (--entry->second == 0) live_.erase(entry);
  }

  // How far tuples (rows column by column) stand from the average of the buffer, whatever their positions.
  void remoteness(const double* columns, std::int64_t stride, std::int64_t count, const Scales& scales,
                  double* result) const {
    std::fill_n(result, count, 0.0);
    const auto held = static_cast<double>(size());
    for (std::size_t a = 0; a < sums_.size(); ++a) {
      if (is_position(a)) continue;
      const double centre = sums_[a].rounded() / held;
      for (std::int64_t i = 0; i < count; ++i) {
        const double difference = (columns[a * stride + i] - centre) * scales[a];
        result[i] += difference * difference;
      }
    }
    for (std::size_t c = 0; c < codes_.size(); ++c) {
      const std::size_t a = sums_.size() + c;
      for (std::int64_t i = 0; i < count; ++i) {
        const auto same = static_cast<double>(codes_[c].find(columns[a * stride + i])->second);
        result[i] += scales[a] * (held - same) / held;
      }
    }
  }

  // What is buffered among the positions from `first` up to, but without, `end`, oldest first.
  std::vector<Position> positions(Position first, Position end) const {
    std::vector<Position> found;
    for (Position p = first; p < end; ++p)
      if (holds(p)) found.push_back(p);
    return found;
  }

  void save(StateWriter& state, Position first, Position end) const {
    const auto held = positions(first, end);
    state.put(held);
    for (const Position p : held) {
      for (int a = 0; a < width_; ++a) state.put(row(p)[a]);
      for (int a = 0; a < width_; ++a) state.put(cells(p)[a]);
      for (std::size_t c = 0; c < confidential_width_; ++c) state.put(confidential(p)[c]);
      state.put(subject(p));
    }
  }
  // `may_hold(cells, row, confidential)` says whether a tuple may have arrived.
  template <class MayHold>
  void load(StateReader& state, Position first, Position end, const Scales& scales, const MayHold& may_hold) {
    std::vector<Position> held;
    state.get(held);
    StateReader::require(held.empty() ? first == end : held.front() == first && held.back() < end);
    for (std::size_t i = 1; i < held.size(); ++i) StateReader::require(held[i - 1] < held[i]);
    for (const Position p : held) {
      for (int a = 0; a < width_; ++a) row_of(p)[a] = state.get<double>();
      for (int a = 0; a < width_; ++a) cells_of(p)[a] = state.get<double>();
      for (std::size_t c = 0; c < confidential_width_; ++c) confidential_of(p)[c] = state.get<double>();
      StateReader::require(row(p)[position_] == static_cast<double>(p) && may_hold(cells(p), row(p), confidential(p)));
      insert(p, state.get<std::int64_t>(), scales);
    }
  }

 private:
  bool is_position(std::size_t axis) const { return static_cast<int>(axis) == position_; }
  std::size_t slot(Position position) const { return ring_.slot(position); }

  const Settings& settings_;
  int width_;
  int position_;  // the axis
  std::size_t confidential_width_;
  Ring ring_;
  Index index_;
  std::vector<char> here_;
  std::vector<double> rows_;   // as compared
  std::vector<double> cells_;  // as they came, NaN where missing
  std::vector<std::int64_t> subjects_;
  std::vector<double> confidential_;
  std::unordered_map<std::int64_t, std::int64_t> live_;  // tuples of each subject in the buffer
  std::vector<ExactSum> sums_;                           // of the buffered rows, exact whatever came and went
  std::vector<std::unordered_map<double, std::int64_t>> codes_;
};

}  // namespace shoal::stream
