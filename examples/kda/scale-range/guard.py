if not 0 < inputs["scale"] < math.inf:
    raise ValueError(f"scale is {inputs['scale']}")
