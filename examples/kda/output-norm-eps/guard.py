if not 0 < inputs["onorm_eps"] < 1:
    raise ValueError(f"the norm's epsilon is {inputs['onorm_eps']}")
