#!/usr/bin/env python3
"""Prints an expression for ctest's -E: all tests that took longer than some seconds.

    scripts/long_tests.py SECONDS [build/release/tests.xml]

The report is what scripts/test.sh leaves; without one nothing is left out. Tests of the command line mostly wait for a program to
start, and may take four times as long.
"""
import pathlib
import re
import sys
from xml.etree import ElementTree

most = float(sys.argv[1])
report = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "build/release/tests.xml")
names = []
if report.is_file():
    for test in ElementTree.parse(report).iter("testcase"):
        name = test.get("name")
        if float(test.get("time")) > most * (4 if name.startswith("cli/") else 1):
            names.append(re.sub(r"([][().*+?^$|\\{}])", r"\\\1", name))
print("^(" + "|".join(names) + ")$" if names else "^$")
