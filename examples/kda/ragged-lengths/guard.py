from kda_kernels import uniform_mtp_batch

if not uniform_mtp_batch(lengths):
    raise ValueError(f"requests of {lengths} tokens need kda_decode_fallback")
