"""The bytes that each op must move, once, over the copy bandwidth of the machine.

D = 128; per request and head an fp32 state of 65,536 bytes, three bf16 windows of 768, per token
three bf16 projections of 256, gate logits 256, a strength logit 2, an output of 256, the three
windows after the token (2,304), and the output gate 256. Taps, gate parameters and norm weight are
read once a head: 6,660 bytes.
"""

from __future__ import annotations

STATE = 65_536
WINDOWS = 2_304
TOKEN = 768 + 256 + 2 + 256 + WINDOWS
RING_ENTRY = 256 + 256 + 512 + 4
OUTPUT_GATE = 256
HEAD = 6_660


def verify_bytes(N: int, T1: int, H: int, *, rings: bool) -> int:
    """Verify with the output norm, T1 tokens of N requests: state read, scratch written."""
    scratch = RING_ENTRY if rings else STATE
    return N * H * (STATE + WINDOWS + T1 * (TOKEN + OUTPUT_GATE + scratch)) + H * HEAD


def decode_bytes(N: int, H: int) -> int:
    """One token in place with the output norm: state and windows read and written."""
    return N * H * (2 * STATE + 2 * WINDOWS + TOKEN - WINDOWS + OUTPUT_GATE) + H * HEAD


def fold_bytes(N: int, accepted: int, H: int) -> int:
    """Fold `accepted` ring entries into the state of one layer."""
    return N * H * (2 * STATE + accepted * RING_ENTRY)


def recurrent_bytes(N: int, T: int, H: int) -> int:
    """Recurrence after convolution, bf16 in and out, initial and final state apart."""
    return N * H * (2 * STATE + T * (4 * 256 + 2 + 256))
