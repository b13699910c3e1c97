pitch = rows.stride(0) * rows.element_size()
if pitch % 16:
    raise ValueError(f"rows are {pitch} bytes apart, want a multiple of 16")
