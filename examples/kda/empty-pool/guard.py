if slots < 1:
    raise ValueError(f"a budget of {budget} bytes holds no slot of {4 * 2 * 128 * 128} bytes")
