"""Route a batch whose lengths are differences of offsets."""

import itertools

from kda_kernels import kda_verify, reference_decode, sample_fallback_inputs

inputs = sample_fallback_inputs(lengths=[2, 1], heads=1)
expected = reference_decode.kda_decode_fallback(**inputs).out

offsets = [0, 2, 3]
lengths = [b - a for a, b in itertools.pairwise(offsets)]
actual = kda_verify(lengths, **inputs)
