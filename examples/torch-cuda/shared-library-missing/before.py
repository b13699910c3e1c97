"""Load an extension whose library directory is not on the loader's path."""

import ctypes
import shutil
import subprocess
import tempfile

folder = tempfile.mkdtemp()
sources = {
    "base": "int base(void) { return 41; }",
    "ext": "int base(void); int ext(void) { return base() + 1; }",
}
for name, source in sources.items():
    with open(f"{folder}/{name}.c", "w") as file:
        file.write(source)
build = ["gcc", "-shared", "-fPIC", f"-L{folder}"]
subprocess.run([*build, f"{folder}/base.c", "-o", f"{folder}/libekb_base.so"], check=True)  # noqa: S603  (a fixed command)
options = ["-lekb_base"]
subprocess.run([*build, f"{folder}/ext.c", "-o", f"{folder}/libekb_ext.so", *options], check=True)  # noqa: S603  (a fixed command)
expected = 42

try:
    actual = ctypes.CDLL(f"{folder}/libekb_ext.so").ext()
finally:
    shutil.rmtree(folder)
