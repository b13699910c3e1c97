if (offsets.diff() < 0).any():  # offsets is still a host tensor here
    raise ValueError(f"offsets decrease: {offsets.tolist()}")
