// A loop over the workers of a job: worker 0 is the calling thread, the others are threads of their own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace shoal {

// As many workers as the machine has, but none with less than `least` items to work on.
inline std::size_t workers_for(std::size_t items, std::size_t least) {
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  return std::clamp<std::size_t>(items / least, 1, cores);
}

// Calls work(worker) once for each worker and waits for all. The work must not throw.
template <class Work>
void in_parallel(std::size_t workers, const Work& work) {
  // Joins what was started, also when the machine has no more threads to give. std::jthread would too, but not every
  // standard library has it.
  struct Others {
    std::vector<std::thread> threads;
    ~Others() {
      for (std::thread& thread : threads) thread.join();
    }
  } others;
  others.threads.reserve(workers - 1);
  for (std::size_t worker = 1; worker < workers; ++worker) others.threads.emplace_back([&work, worker] { work(worker); });
  work(0);
}

}  // namespace shoal
