// Which of 32 lanes are at most, or at least, a bound: the part of lanes_isa.inl that compilers do not vectorise.

#if defined(__AVX512F__)
inline Lanes at_most(const double* values, double bound) {
  const __m512d limit = _mm512_set1_pd(bound);
  Lanes lanes = 0;
  for (int i = 0; i < kBlock; i += 8) {
    lanes |= static_cast<Lanes>(_mm512_cmp_pd_mask(_mm512_loadu_pd(values + i), limit, _CMP_LE_OQ)) << i;
  }
  return lanes;
}
inline Lanes at_most(const float* values, float bound) {
  const __m512 limit = _mm512_set1_ps(bound);
  return static_cast<Lanes>(_mm512_cmp_ps_mask(_mm512_loadu_ps(values), limit, _CMP_LE_OQ)) |
         static_cast<Lanes>(_mm512_cmp_ps_mask(_mm512_loadu_ps(values + 16), limit, _CMP_LE_OQ)) << 16;
}
#elif defined(__AVX2__)
inline Lanes at_most(const double* values, double bound) {
  const __m256d limit = _mm256_set1_pd(bound);
  Lanes lanes = 0;
  for (int i = 0; i < kBlock; i += 4) {
    lanes |= static_cast<Lanes>(_mm256_movemask_pd(_mm256_cmp_pd(_mm256_loadu_pd(values + i), limit, _CMP_LE_OQ))) << i;
  }
  return lanes;
}
inline Lanes at_most(const float* values, float bound) {
  const __m256 limit = _mm256_set1_ps(bound);
  Lanes lanes = 0;
  for (int i = 0; i < kBlock; i += 8) {
    lanes |= static_cast<Lanes>(_mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(values + i), limit, _CMP_LE_OQ))) << i;
  }
  return lanes;
}
#else
template <class T>
inline Lanes at_most(const T* values, T bound) {
  Lanes lanes = 0;
  for (int i = 0; i < kBlock; ++i) lanes |= static_cast<Lanes>(values[i] <= bound) << i;
  return lanes;
}
#endif

// Values at least `bound`: those whose negative is at most its negative.
template <class T>
inline Lanes at_least(const T* values, T bound) {
  alignas(64) T negative[kBlock];
  for (int i = 0; i < kBlock; ++i) negative[i] = -values[i];
  return at_most(negative, -bound);
}
