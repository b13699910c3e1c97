if validate not in ("host", "device"):
    raise ValueError(f"validate is {validate!r}")
