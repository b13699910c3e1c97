if rows < 2:
    raise ValueError(f"{rows} scratch rows for 2 requests")
