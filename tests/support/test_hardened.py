"""scripts/hardened.sh passes what a compiler made with all protections, and names the one that is left out."""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = """#include <string.h>
#include <stdio.h>
int main(int n, char** words) { char text[16]; strcpy(text, words[n - 1]); printf("%s", text); return 0; }
"""
ALL = ["-O2", "-fPIE", "-pie", "-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2",
       "-Wl,-z,relro,-z,now,-z,noexecstack"]


@pytest.mark.parametrize("options,missing", [
    ([], ""), (["-fno-stack-protector"], "stack protector"), (["-U_FORTIFY_SOURCE"], "FORTIFY"), (["-fno-pie", "-no-pie"], "PIE"),
    (["-Wl,-z,norelro"], "RELRO"), (["-Wl,-z,lazy"], "BIND_NOW"), (["-Wl,-z,execstack"], "NX")])
def test_it_names_what_is_missing(tmp_path, options, missing):
    program = tmp_path / "program"
    subprocess.run([*os.environ.get("CC", "cc").split(), "-w", *ALL, *options, "-x", "c", "-", "-o", program], input=SOURCE, text=True,
                   check=True)
    done = subprocess.run([ROOT / "scripts/hardened.sh", program], capture_output=True, text=True)
    lacks = done.stderr.partition(" lacks ")[2]
    assert (done.returncode, lacks.count("(") + ("stack protector" in lacks)) == (bool(missing), bool(missing)), done
    assert missing in lacks


def test_a_library_needs_no_place_of_its_own(tmp_path):
    library = tmp_path / "library.so"
    subprocess.run([*os.environ.get("CC", "cc").split(), "-w", *ALL, "-shared", "-fPIC", "-x", "c", "-", "-o", library],
                   input=SOURCE.replace("main", "other"), text=True, check=True)
    assert subprocess.run([ROOT / "scripts/hardened.sh", library]).returncode == 0
