norm = [inputs.get(name) for name in ("onorm_gate", "onorm_weight", "onorm_eps")]
missing = sum(value is None for value in norm)
if missing not in (0, 3):
    raise ValueError(f"{missing} of onorm_gate, onorm_weight and onorm_eps are None")
