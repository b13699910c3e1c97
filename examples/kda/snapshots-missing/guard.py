if inputs["intermediate_ssm"] is None and inputs.get("replayssm_rawv") is None:
    raise ValueError("the commit needs intermediate_ssm or the four replayssm_* rings")
