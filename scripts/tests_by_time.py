#!/usr/bin/env python3
"""Runs those of some tests that took up to, or above, some seconds in the release, two at a time and without waiting for the disk.

    scripts/tests_by_time.py BUILD_FOLDER upto|above SECONDS ARGUMENT_OF_CTEST...

Times are those of build/release/tests.xml, which scripts/test.sh leaves. A test that it does not have counts as short; without it all
are run. Tests of the command line mostly wait for a program to start, and may take twice as long.
"""
import json
import os
import pathlib
import subprocess
import sys
from xml.etree import ElementTree

if len(sys.argv) < 4 or sys.argv[2] not in ("upto", "above"):
    sys.exit(__doc__)
folder, which, most, chosen = sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4:]
report = pathlib.Path("build/release/tests.xml")
seconds = {}
if report.is_file():
    seconds = {test.get("name"): float(test.get("time")) for test in ElementTree.parse(report).iter("testcase")}


def is_run(name: str) -> bool:
    is_long = seconds.get(name, 0.0) > most * (2 if name.startswith("cli/") else 1)
    return not seconds or is_long == (which == "above")


listed = subprocess.run(["ctest", "--test-dir", folder, "--show-only=json-v1", *chosen], check=True, capture_output=True, text=True)
tests = [test["name"] for test in json.loads(listed.stdout)["tests"]]
# By number, as an expression of so many names is more than ctest takes, which it then ignores. It counts among the chosen ones.
# 0,0,0: none but those that follow; test 0, that there is none at all.
numbers = [str(number) for number, name in enumerate(tests, start=1) if is_run(name)]
print(f"{len(numbers)} of {len(tests)} tests take {'up to' if which == 'upto' else 'above'} {most:g} s", flush=True)
command = ["eatmydata", "ctest", "--test-dir", folder, "--output-on-failure", "--no-tests=error", "-j", "2", *chosen]
os.execvp(command[0], [*command, "-I", ",".join(["0,0,0", *(numbers or "0")])])
