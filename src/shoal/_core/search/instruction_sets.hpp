// Which instruction sets the lane kernels were compiled for and this processor can run.
#pragma once

#include <string>
#include <vector>

namespace shoal {

// Slowest first. The last is used unless another is asked for.
std::vector<std::string> instruction_sets();

// Makes do with less than the best, for indexes made from now on: tests and benchmarks compare. False: not available.
bool use_instruction_set(const std::string& name);

}  // namespace shoal
