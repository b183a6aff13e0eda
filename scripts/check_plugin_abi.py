#!/usr/bin/env python3
"""Holds the number of the plugin interface to the headers that plugins are compiled against.

  check_plugin_abi.py [ROOT]            fails where these headers are not those of the number, and says what to do
  check_plugin_abi.py [ROOT] --record   records the headers as those of the number, which must have been raised

A plugin and Harmonium share the layout of every type in framework/plugin/plugin.hpp and in what that includes, directly
or through others: those are the headers that count, by their code alone. Only their types are safe to hold by value in a
plugin that is to outlive a release. Of what else is installed (GibbsOptions, SgdOptions) a changed function is found out
as the plugin is loaded, for it has another name; a changed layout is not. The digest stands beside the number, in
framework/plugin/abi_digest.txt.
"""
import argparse
import hashlib
import pathlib
import re
import sys

HEADER = "framework/plugin/plugin.hpp"
STAMP = "framework/plugin/stamp.hpp"
RECORD = "framework/plugin/abi_digest.txt"
NUMBER = re.compile(r"#define HARMONIUM_PLUGIN_ABI (\d+)u")
# Text and characters, to be left as they are, or a comment.
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\\\n])\'|//[^\n]*|/\*.*?\*/', re.DOTALL)


def headers(root):
    """HEADER and all that it includes, sorted."""
    found, left = set(), [HEADER]
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            left += re.findall(r"^\s*#\s*include\s*<harmonium/([^>]+)>", (root / path).read_text(), re.MULTILINE)
    return sorted(found)


def code(text):
    """What a compiler makes a difference by: no comments, no white space, no lists of includes, not the number itself."""
    text = NUMBER.sub("", text)
    text = TOKEN.sub(lambda token: " " if token[0].startswith("/") else token[0], text)
    text = re.sub(r"^\s*#\s*(include|pragma once).*$", "", text, flags=re.MULTILINE)
    return re.sub(r"\s+", "", text)


def digest(root):
    sum = hashlib.sha256()
    for path in headers(root):
        sum.update(f"{path}\n{code((root / path).read_text())}\n".encode())
    return sum.hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    root = arguments.root
    number, now = int(NUMBER.search((root / STAMP).read_text())[1]), digest(root)
    record = (root / RECORD).read_text().split() if (root / RECORD).exists() else ["0", "none"]
    recorded, before = int(record[0]), record[1]

    if arguments.record and number > recorded:
        (root / RECORD).write_text(f"{number} {now}\n")
    elif number < recorded or (number == recorded and now != before):
        sys.exit(f"The headers that plugins are compiled against ({HEADER} and what it includes) are not those of plugin "
                 f"interface {number}, the last recorded being {recorded}.\nRaise HARMONIUM_PLUGIN_ABI in {STAMP} to "
                 f"{recorded + 1}, then run scripts/check_plugin_abi.py --record")
    elif number > recorded:
        sys.exit(f"HARMONIUM_PLUGIN_ABI in {STAMP} is {number}, and {RECORD} is of {recorded}.\n"
                 "Run scripts/check_plugin_abi.py --record")
    print(f"Plugin interface {number}: {len(headers(root))} headers, digest {now[:12]}.")


if __name__ == "__main__":
    main()
