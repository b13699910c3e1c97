rings = [inputs.get(f"replayssm_{name}") for name in ("rawv", "rawk", "g", "beta")]
missing = sum(ring is None for ring in rings)
if missing not in (0, 4):
    raise ValueError(f"{missing} of the four replayssm_* rings are None")
