"""Compiles `gbnf.cpp` with llama.cpp's grammar parser, to see which texts a grammar accepts.

usage: gbnf.py VERSION_OF_LLAMA_CPP_PYTHON PROGRAM

Three files of the source distribution of llama_cpp_python, which is downloaded and not built, are
compiled with it.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path


def main(version, program):
    with tempfile.TemporaryDirectory() as place:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", place, "--no-deps", "--no-clean"]
        command += ["--no-binary", ":all:", "--no-build-isolation", f"llama_cpp_python=={version}"]
        done = subprocess.run(command, env={**os.environ, "TMPDIR": place}, capture_output=True, text=True)
        found = sorted(Path(place).glob("**/llama.cpp/src/llama-grammar.cpp"))
        if not found:
            sys.exit(f"no source was found:\n{done.stdout}{done.stderr}")
        source = found[0].parent
        command = ["g++", "-std=c++17", "-O1", "-o", program, str(Path(__file__).with_suffix(".cpp"))]
        command += [str(source / name) for name in ("llama-grammar.cpp", "unicode.cpp", "unicode-data.cpp")]
        command += [f"-I{place}" for place in (source, source.parent / "include", source.parent / "ggml/include")]
        subprocess.run(command, check=True)


main(*sys.argv[1:])
