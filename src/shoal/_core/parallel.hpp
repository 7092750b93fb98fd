// A loop over the hands of a job: hand 0 is the calling thread, the others are threads of their own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace shoal {

// As many hands as the machine has, but none with less than `least` items to work on.
inline std::size_t hands_for(std::size_t items, std::size_t least) {
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  return std::clamp<std::size_t>(items / least, 1, cores);
}

// Calls work(hand) once for each hand and waits for all. The work must not throw.
template <class Work>
void in_parallel(std::size_t hands, const Work& work) {
  // Joins what was started, also when the machine has no more threads to give. std::jthread would too, but not every
  // standard library has it.
  struct Others {
    std::vector<std::thread> threads;
    ~Others() {
      for (std::thread& thread : threads) thread.join();
    }
  } others;
  others.threads.reserve(hands - 1);
  for (std::size_t hand = 1; hand < hands; ++hand) others.threads.emplace_back([&work, hand] { work(hand); });
  work(0);
}

}  // namespace shoal
