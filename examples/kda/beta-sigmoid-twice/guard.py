if inputs["beta"].min() >= 0 and inputs["beta"].max() <= 1:
    raise ValueError("beta lies in [0, 1]: it looks activated, and the op applies the sigmoid")
