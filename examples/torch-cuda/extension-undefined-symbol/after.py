"""Load an extension that was built against another version of the library below it."""

import ctypes
import subprocess
import tempfile

built_against, installed = "decay_v2", "decay_v2"
with tempfile.TemporaryDirectory() as folder:
    sources = {
        "base": f"int {installed}(void) {{ return 41; }}",
        "ext": f"int {built_against}(void); int ext(void) {{ return {built_against}() + 1; }}",
    }
    for name, source in sources.items():
        build = ["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", f"{folder}/libekb_{name}.so"]
        subprocess.run(build, input=source, text=True, check=True)  # noqa: S603  (a fixed command)
    ctypes.CDLL(f"{folder}/libekb_base.so", mode=ctypes.RTLD_GLOBAL)
    actual = ctypes.CDLL(f"{folder}/libekb_ext.so").ext()
expected = 42
