if offsets[0] != 0:  # offsets is still a host tensor here
    raise ValueError(f"offsets start at {offsets[0]}")
