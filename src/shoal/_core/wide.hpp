// Integers of 128 bits. The work of moving a group's values onto the table's is a sum of up to n·m·g units, which
// passes 64 bits at a few million records; kept as an integer, it can be compared with a threshold exactly.
#pragma once

namespace shoal {

__extension__ typedef __int128 Wide;  // GCC and Clang

}  // namespace shoal
