import inspect

inspect.signature(fused_kda_decode_mtp_dspark).bind(**keywords)
