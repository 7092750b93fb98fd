// The loops over coded blocks (coded_blocks.hpp), part of lanes_isa.inl. Compilers widen bytes to floats by detours; so
// that is spelled out, and what is one float in standard C++ is a register of them elsewhere.

#if defined(__AVX512F__)
using Floats = __m512;
inline Floats spread(float x) { return _mm512_set1_ps(x); }
inline Floats load(const float* from) { return _mm512_loadu_ps(from); }
inline void store(float* to, Floats x) { _mm512_storeu_ps(to, x); }
inline Floats widened(const std::uint8_t* codes) {
  return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(codes))));
}
inline Floats greatest(Floats a, Floats b) { return _mm512_max_ps(a, b); }
inline Floats add_square(Floats sum, Floats x) { return _mm512_fmadd_ps(x, x, sum); }
#elif defined(__AVX2__)
using Floats = __m256;
inline Floats spread(float x) { return _mm256_set1_ps(x); }
inline Floats load(const float* from) { return _mm256_loadu_ps(from); }
inline void store(float* to, Floats x) { _mm256_storeu_ps(to, x); }
inline Floats widened(const std::uint8_t* codes) {
  return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(codes))));
}
inline Floats greatest(Floats a, Floats b) { return _mm256_max_ps(a, b); }
inline Floats add_square(Floats sum, Floats x) { return _mm256_fmadd_ps(x, x, sum); }
#else
using Floats = float;
inline Floats spread(float x) { return x; }
inline Floats load(const float* from) { return *from; }
inline void store(float* to, Floats x) { *to = x; }
inline Floats widened(const std::uint8_t* codes) { return static_cast<float>(*codes); }
#endif

constexpr int kWidth = sizeof(Floats) / sizeof(float);
constexpr int kParts = kBlock / kWidth;

// Counts steps of the frame from its corner to `point`, for numbers first..first+D-1.
template <int D>
inline void in_steps(const CodedBlock& block, const float* point, int first, float* SHOAL_RESTRICT steps) {
  for (int j = 0; j < D; ++j) steps[j] = (point[first + j] - block.low[first + j]) * block.inverse;
}

template <int D, bool kFirst>
inline void add_coded_squares(const std::uint8_t* SHOAL_RESTRICT codes, const float* SHOAL_RESTRICT steps,
                              float* SHOAL_RESTRICT out) {
  Floats sums[kParts];
  for (int p = 0; p < kParts; ++p) sums[p] = kFirst ? spread(0.0F) : load(out + p * kWidth);
  for (int j = 0; j < D; ++j) {
    const Floats place = spread(steps[j]);
    for (int p = 0; p < kParts; ++p) {
      sums[p] = add_square(sums[p], place - widened(codes + j * kBlock + p * kWidth));
    }
  }
  for (int p = 0; p < kParts; ++p) store(out + p * kWidth, sums[p]);
}

template <int D, bool kFirst>
inline void add_coded_gaps(const std::uint8_t* SHOAL_RESTRICT low, const std::uint8_t* SHOAL_RESTRICT high,
                           const float* SHOAL_RESTRICT steps, float* SHOAL_RESTRICT out) {
  Floats sums[kParts];
  const Floats none = spread(0.0F);
  for (int p = 0; p < kParts; ++p) sums[p] = kFirst ? none : load(out + p * kWidth);
  for (int j = 0; j < D; ++j) {
    const Floats place = spread(steps[j]);
    for (int p = 0; p < kParts; ++p) {
      const int at = j * kBlock + p * kWidth;
      sums[p] = add_square(sums[p], greatest(greatest(widened(low + at) - place, place - widened(high + at)), none));
    }
  }
  for (int p = 0; p < kParts; ++p) store(out + p * kWidth, sums[p]);
}

inline void scale(float factor, float* out) {
  for (int i = 0; i < kBlock; ++i) out[i] *= factor;
}

// Squared distances to the 32 images of a block, as their codes say.
template <int D>
inline void coded_distances(const CodedBlock& block, const std::int32_t* codes, const ImageQuery& query, float* out) {
  add_in_order<D>(query.number_count, [&]<int E, bool kFirst>(int from) {
    float steps[E == 0 ? 1 : E];
    in_steps<E>(block, query.numbers, from, steps);
    add_coded_squares<E, kFirst>(block.codes + from * kBlock, steps, out);
  });
  scale(block.step * block.step, out);
  add_codes(codes, query, out);
}

template <int D>
inline void coded_gaps(const CodedBlock& block, const float* point, int number_count, float* out) {
  add_in_order<D>(number_count, [&]<int E, bool kFirst>(int from) {
    float steps[E == 0 ? 1 : E];
    in_steps<E>(block, point, from, steps);
    const std::uint8_t* low = block.codes + from * kBlock;
    add_coded_gaps<E, kFirst>(low, low + number_count * kBlock, steps, out);
  });
  scale(block.step * block.step, out);
}

template <int D>
Lanes near_coded(const CodedBlock& block, const std::int32_t* codes, const ImageQuery& query, float limit) {
  alignas(64) float out[kBlock];
  coded_distances<D>(block, codes, query, out);
  return at_most(out, limit);
}

template <int D>
Lanes far_coded(const CodedBlock& block, const std::int32_t* codes, const ImageQuery& query, float limit) {
  alignas(64) float out[kBlock];
  coded_distances<D>(block, codes, query, out);
  return at_least(out, limit);
}

template <int D>
Lanes near_coded_boxes(const CodedBlock& block, const Boxes& boxes, const ImageQuery& query, float limit, float* out) {
  coded_gaps<D>(block, query.numbers, query.number_count, out);
  return near_of_gaps(boxes, query, limit, out);
}

template <int D>
Lanes far_coded_boxes(const CodedBlock& block, const Boxes& boxes, const FarQuery& far, float limit, float* out) {
  coded_gaps<D>(block, far.antipode, far.query.number_count, out);
  return far_of_gaps(boxes, far, limit, out);
}

inline void coded_extent(const std::uint8_t* low, const std::uint8_t* high, int runs, int count, std::uint8_t* least_out,
                         std::uint8_t* greatest_out) {
  alignas(64) std::uint8_t inside[kBlock];
  for (int i = 0; i < kBlock; ++i) inside[i] = i < count ? 0xFF : 0;
  for (int j = 0; j < runs; ++j, low += kBlock, high += kBlock) {
    std::uint8_t smallest = 0xFF, largest = 0;
    for (int i = 0; i < kBlock; ++i) {
      smallest = least<std::uint8_t>(smallest, low[i] | static_cast<std::uint8_t>(~inside[i]));
      largest = greatest<std::uint8_t>(largest, high[i] & inside[i]);
    }
    least_out[j] = smallest;
    greatest_out[j] = largest;
  }
}
