#include "stream/engine.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace shoal::stream {

Engine::Engine(Settings settings)
    : settings_(std::move(settings)),
      scaling_(settings_),
      buffer_(settings_),
      closeness_(settings_),
      grouper_(settings_, buffer_, closeness_),
      value_(settings_),
      order_(settings_.seed),
      tally_(settings_.window()) {}

void Engine::push(const double* cells, std::int64_t subject, const double* confidential, Releases& out) {
  const Position now = next_++;
  for (int a = 0; a < settings_.axes().size(); ++a)
    if (a != settings_.axes().position()) order_.arrive(cells[a]);
  for (std::size_t c = 0; c < closeness_.width(); ++c) order_.arrive(confidential[c]);
  if (settings_.subjects) order_.arrive(subject);
  std::copy_n(cells, settings_.axes().size(), buffer_.cells_of(now));
  std::copy_n(confidential, closeness_.width(), buffer_.confidential_of(now));
  scaling_.arrive(cells, buffer_.row_of(now));
  buffer_.row_of(now)[settings_.axes().position()] = static_cast<double>(now);
  closeness_.arrive(confidential);
  buffer_.insert(now, subject, scaling_.scales());
  if (oldest_ == now - settings_.max_delay) settle(oldest_, false, out);
}

void Engine::flush(Releases& out) {
  while (buffer_.size() > 0) settle(oldest_, true, out);
}

// The seed leaves now: in a group, in the class of an earlier group, or dropped.
void Engine::settle(Position seed, bool ending, Releases& out) {
  const Scales& scales = scaling_.scales();
  if (grouper_.form(seed, scales).empty()) {
    drop(seed, Drop::too_few_subjects, out);
  } else if (!grouper_.make_close(seed, scales)) {
    if (!settings_.merge || !join(seed, out)) drop(seed, Drop::not_close, out);
  } else {
    std::vector<Position> group = grouper_.group();
    if (ending) {
      // At the end nobody comes to help: when the rest would be too few, it goes with this group.
      const std::int64_t rest = buffer_.distinct_subjects_without(group);
      if (rest > 0 && rest < settings_.k) {
        auto all = buffer_.positions(oldest_, next_);
        if (grouper_.is_close(all)) group = std::move(all);
      }
    }
    release(group, out);
  }
  advance();
}

void Engine::release(const std::vector<Position>& group, Releases& out) {
  value_.assign(buffer_, group);
  const Position now = next_ - 1;
  out.classes.push_back(tally_.groups);
  out.sizes.push_back(static_cast<std::int64_t>(group.size()));
  out.at.push_back(now);
  out.coords.insert(out.coords.end(), value_.coords.begin(), value_.coords.end());
  out.ranks.insert(out.ranks.end(), value_.ranks.begin(), value_.ranks.end());
  out.modes.insert(out.modes.end(), value_.modes.begin(), value_.modes.end());
  const auto& leaving = order_.ordered(group);
  out.positions.insert(out.positions.end(), leaving.begin(), leaving.end());
  if (settings_.merge) remember(group);
  tally_.add_group(group);
  for (const Position position : group) {
    tally_.add_tuple(position, now, squared_error(position, value_.coords, value_.ranks, value_.codes));
    buffer_.remove(position);
  }
}

// The seed takes the values of the nearest recent group that stays t-close with it: it stands in a class of k subjects,
// though the others left before. A group that could be t-close without it is not waited for: there is no time.
bool Engine::join(Position seed, Releases& out) {
  const double* confidential = buffer_.confidential(seed);
  Average average(settings_.axes());
  std::vector<const double*> rows(1);
  Class* best = nullptr;
  double least = 0.0;
  for (Class& earlier : classes_) {
    if (earlier.confidential.size() >= kMembers * closeness_.width()) continue;
    rows[0] = earlier.row.data();
    average.assign(rows);
    const double distance = average.distance(buffer_.row(seed), scaling_.scales());
    if (best != nullptr && distance >= least) continue;
    closeness_.weigh(earlier.confidential);
    closeness_.add(confidential);
    if (!closeness_.met()) continue;
    best = &earlier;
    least = distance;
  }
  if (best == nullptr) return false;
  best->confidential.insert(best->confidential.end(), confidential, confidential + closeness_.width());
  out.positions.push_back(seed);
  out.sizes.push_back(1);
  out.classes.push_back(best->number);
  out.at.push_back(next_ - 1);
  out.coords.insert(out.coords.end(), best->coords.begin(), best->coords.end());
  out.ranks.insert(out.ranks.end(), best->ranks.begin(), best->ranks.end());
  out.modes.insert(out.modes.end(), best->modes.begin(), best->modes.end());
  ++tally_.joined;
  const std::vector<double> codes(best->row.begin() + settings_.axes().first_code(), best->row.end());
  tally_.add_tuple(seed, next_ - 1, squared_error(seed, best->coords, best->ranks, codes));
  buffer_.remove(seed);
  return true;
}

void Engine::drop(Position position, Drop reason, Releases& out) {
  out.dropped.push_back(position);
  out.reasons.push_back(static_cast<std::int8_t>(reason));
  ++(reason == Drop::not_close ? tally_.dropped_close : tally_.dropped_subjects);
  buffer_.remove(position);
}

// Where no member has a cell, the class stands where the group's first tuple stands.
void Engine::remember(const std::vector<Position>& group) {
  const Axes axes = settings_.axes();
  Class made{tally_.groups, {}, value_.coords, value_.ranks, value_.modes, {}};
  const double* first = buffer_.row(group.front());
  made.row.assign(first, first + axes.size());
  for (int j = 0; j < axes.coords; ++j)
    if (!std::isnan(value_.coords[j])) made.row[j] = value_.coords[j];
  for (int j = 0; j < axes.ranks; ++j)
    if (value_.ranks[j] >= 0) made.row[axes.first_rank() + j] = value_.ranks[j];
  for (int j = 0; j < axes.codes; ++j)
    if (!std::isnan(value_.codes[j])) made.row[axes.first_code() + j] = value_.codes[j];
  double positions = 0.0;
  for (const Position position : group) {
    positions += static_cast<double>(position);
    const double* confidential = buffer_.confidential(position);
    made.confidential.insert(made.confidential.end(), confidential, confidential + closeness_.width());
  }
  made.row[axes.position()] = positions / static_cast<double>(group.size());
  classes_.push_back(std::move(made));
  if (classes_.size() > kClasses) classes_.pop_front();
}

// From a tuple as it came to what is released for it, every attribute on [0, 1]; missing cells have no error.
double Engine::squared_error(Position position, const std::vector<double>& coords,
                             const std::vector<std::int32_t>& ranks, const std::vector<double>& codes) const {
  const Axes axes = settings_.axes();
  const Scales& units = scaling_.units();
  const double* cells = buffer_.cells(position);
  double sum = 0.0;
  const auto add = [&](double difference) {
    if (!std::isnan(difference)) sum += difference * difference;
  };
  for (int j = 0; j < axes.coords; ++j) add((cells[j] - coords[j]) * units[j]);
  for (int j = 0; j < axes.ranks; ++j)
    if (ranks[j] >= 0) add((cells[axes.first_rank() + j] - ranks[j]) * units[axes.first_rank() + j]);
  for (int j = 0; j < axes.codes; ++j) {
    const double cell = cells[axes.first_code() + j];
    if (!std::isnan(cell) && !std::isnan(codes[j]) && cell != codes[j]) sum += 1.0;
  }
  return sum;
}

void Engine::advance() {
  while (oldest_ < next_ && !buffer_.holds(oldest_)) ++oldest_;
}

std::string Engine::save() const {
  StateWriter state;
  state.put(next_);
  state.put(oldest_);
  order_.save(state);
  scaling_.save(state);
  closeness_.save(state);
  tally_.save(state);
  buffer_.save(state, oldest_, next_);
  state.put(static_cast<std::int64_t>(classes_.size()));
  for (const Class& earlier : classes_) {
    state.put(earlier.number);
    state.put(earlier.row);
    state.put(earlier.coords);
    state.put(earlier.ranks);
    state.put(earlier.modes);
    state.put(earlier.confidential);
  }
  return state.bytes();
}

// Only into a fresh engine of the same settings; the Python side checked that they are the same.
void Engine::load(const char* data, std::size_t size) {
  StateReader state(data, size);
  next_ = state.get<Position>();
  oldest_ = state.get<Position>();
  order_.load(state);
  scaling_.load(state);
  closeness_.load(state);
  tally_.load(state);
  buffer_.load(state, scaling_.scales());
  const auto classes = state.get<std::int64_t>();
  for (std::int64_t i = 0; i < classes; ++i) {
    Class earlier;
    earlier.number = state.get<std::int64_t>();
    state.get(earlier.row);
    state.get(earlier.coords);
    state.get(earlier.ranks);
    state.get(earlier.modes);
    state.get(earlier.confidential);
    classes_.push_back(std::move(earlier));
  }
  if (!state.finished()) throw std::invalid_argument("the state has more in it than it should");
}

}  // namespace shoal::stream
