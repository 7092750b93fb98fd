// The loops of distances.hpp. Included by one .cpp per instruction set, inside that set's own namespace.
// Nothing here may call an inline function of another header: the linker would keep one copy of it for the whole
// library, perhaps the one compiled for a processor newer than the user's.

// Adds attributes 0..D-1 in order. With D known, the inner loop unrolls and the outer one vectorises.
template <int D, bool kFirst>
inline void add_numbers(const double* __restrict block, const double* __restrict query, double* __restrict out) {
  for (int i = 0; i < kBlock; ++i) {
    double sum = kFirst ? 0.0 : out[i];
    for (int j = 0; j < D; ++j) {
      const double difference = query[j] - block[j * kBlock + i];
      sum += difference * difference;
    }
    out[i] = sum;
  }
}

constexpr int kUnrolled = 16;

template <bool kFirst>
inline void add_rest(int count, const double* block, const double* query, double* out) {
  switch (count) {
    case 1: add_numbers<1, kFirst>(block, query, out); break;
    case 2: add_numbers<2, kFirst>(block, query, out); break;
    case 3: add_numbers<3, kFirst>(block, query, out); break;
    case 4: add_numbers<4, kFirst>(block, query, out); break;
    case 5: add_numbers<5, kFirst>(block, query, out); break;
    case 6: add_numbers<6, kFirst>(block, query, out); break;
    case 7: add_numbers<7, kFirst>(block, query, out); break;
    default: break;
  }
}

// Any number of attributes, eight at a time.
inline void add_many(int count, const double* block, const double* query, double* out) {
  add_numbers<8, true>(block, query, out);
  int done = 8;
  for (; done + 8 <= count; done += 8) add_numbers<8, false>(block + done * kBlock, query + done, out);
  add_rest<false>(count - done, block + done * kBlock, query + done, out);
}

inline void add_codes(const std::int32_t* __restrict block, const Query& query, double* __restrict out) {
  for (int j = 0; j < query.code_count; ++j) {
    const std::int32_t code = query.codes[j];
    const double weight = query.code_weights[j];
    for (int i = 0; i < kBlock; ++i) out[i] += block[j * kBlock + i] == code ? 0.0 : weight;
  }
}

// D >= 0: exactly D numeric attributes. D < 0: more than kUnrolled.
template <int D>
inline void distances(const double* numbers, const std::int32_t* codes, const Query& query, double* out) {
  if constexpr (D >= 0) {
    add_numbers<D, true>(numbers, query.numbers, out);
  } else {
    add_many(query.number_count, numbers, query.numbers, out);
  }
  if (query.code_count > 0) add_codes(codes, query, out);
}

template <int D>
std::int64_t seek(const double* numbers, const std::int32_t* codes, std::int64_t first, std::int64_t last,
                  const Query& query, Bounds bounds, double* out) {
  const std::int64_t number_stride = static_cast<std::int64_t>(query.number_count) * kBlock;
  const std::int64_t code_stride = static_cast<std::int64_t>(query.code_count) * kBlock;
  for (std::int64_t block = first; block < last; ++block) {
    alignas(64) double found[kBlock];
    distances<D>(numbers + block * number_stride, codes + block * code_stride, query, found);
    std::int64_t hits = 0;
    for (int i = 0; i < kBlock; ++i) hits += static_cast<int>(found[i] <= bounds.near) | static_cast<int>(found[i] >= bounds.far);
    if (hits != 0) {
      for (int i = 0; i < kBlock; ++i) out[i] = found[i];
      return block;
    }
  }
  return last;
}

template <int D>
constexpr DistanceKernels make() {
  return {distances<D>, seek<D>};
}

DistanceKernels kernels(int number_count) {
  static constexpr DistanceKernels table[kUnrolled + 1] = {
      make<0>(),  make<1>(),  make<2>(),  make<3>(),  make<4>(),  make<5>(),  make<6>(),  make<7>(), make<8>(),
      make<9>(),  make<10>(), make<11>(), make<12>(), make<13>(), make<14>(), make<15>(), make<16>()};
  return number_count <= kUnrolled ? table[number_count] : make<-1>();
}
