if not -100 < inputs["lower_bound"] < 0:
    raise ValueError(f"lower_bound is {inputs['lower_bound']}")
