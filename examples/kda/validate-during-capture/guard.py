if mode == "device":
    raise ValueError("device checks wait for the stream: capture the call with validate='host'")
