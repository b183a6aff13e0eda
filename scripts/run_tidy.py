#!/usr/bin/env python3
"""Runs clang-tidy over every source, once, as it is compiled in double precision: run_tidy.py

The analyzer looks into the functions of a source alone, so that it takes each source but those of tests by itself; so is seen that no function
is longer than a screen. All other checks walk over whole translation units, headers of packages included: they take the sources of a unity build,
several at a time, which reads those headers once. Both configurations (presets tidy and tidy-unity) must have been made; nothing is compiled.

What was found clean is not read again until its source, a header of the project that it includes, its flags or the checks change: so a
run that was broken off goes on. The list is in ~/.cache/harmonium-tidy (or $XDG_CACHE_HOME); remove it after an upgrade of a package.
"""
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLEAN = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "harmonium-tidy"
PASSES = {
    # Quadrature walks over grids whose steps are powers of two, and so exact: FloatLoopCounter would have them counted.
    "tidy": "-*,clang-analyzer-*,-clang-analyzer-security.FloatLoopCounter,readability-function-size",
    "tidy-unity": "-clang-analyzer-*,-bugprone-suspicious-include",
}
# The analyzer gives a function up after so many states: with its default of 225000 it takes three times as long.
STATES = ["--extra-arg=-Xclang", "--extra-arg=-analyzer-config", "--extra-arg=-Xclang", "--extra-arg=max-nodes=25000"]
# What tests leave out: clang-tidy does not find their file from a unity build's sources.
OF_TESTS = "," + "".join((ROOT / "tests" / ".clang-tidy").read_text(encoding="utf-8").partition("Checks: >")[2].split())
# What walks every path through a source takes seconds a source. Tests are run on every path they have, by sanitizers too.
NOT_ANALYZED = ROOT / "tests"


def commands(preset):
    """The folder of a configuration's compile commands, and these by source, without single precision and generated sources."""
    folder = ROOT / "build" / preset
    kept = {}
    for entry in json.loads((folder / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["file"])
        ours = ROOT in file.parents and (folder not in file.parents or "Unity" in file.parts)
        if ours and "-DHARMONIUM_SINGLE_PRECISION" not in entry["command"]:
            kept.setdefault(entry["file"], entry)
    double = folder / "double"
    double.mkdir(exist_ok=True)
    (double / "compile_commands.json").write_text(json.dumps(list(kept.values())))
    return double, kept


@functools.cache
def text_and_includes(file):
    """A file's text, and the project's files that it includes."""
    text = pathlib.Path(file).read_text(encoding="utf-8")
    found = []
    for by_name, by_path in re.findall(r'^#include (?:<harmonium/([^>]+)>|"([^"]+)")', text, re.MULTILINE):
        path = ROOT / by_name if by_name else pathlib.Path(file).parent / by_path
        if path.is_file():
            found.append(str(path))
    return text, found


def everything_read(file):
    """All of the project's files that a source is made of."""
    reached, to_read = set(), [file]
    while to_read:
        at = to_read.pop()
        if at not in reached:
            reached.add(at)
            to_read += text_and_includes(at)[1]
    return sorted(reached)


def fingerprint(command, checks, file):
    digest = hashlib.sha256((ROOT / ".clang-tidy").read_bytes())
    for words in (checks, command, *(text_and_includes(f)[0] for f in everything_read(file))):
        digest.update(words.replace(str(ROOT), "").encode() + b"\0")
    return digest.hexdigest()


def jobs():
    """Each run of clang-tidy that is left, and the name under which it is kept as clean."""
    for preset, checks in PASSES.items():
        database, by_file = commands(preset)
        for file, entry in sorted(by_file.items()):
            if preset == "tidy" and NOT_ANALYZED in pathlib.Path(file).parents:
                continue
            own = checks + (OF_TESTS if "tests" in pathlib.Path(file).relative_to(ROOT).parts else "")
            call = ["clang-tidy", "--quiet", "--warnings-as-errors=*", f"--checks={own}", *STATES, "-p", database, file]
            yield call, CLEAN / fingerprint(entry["command"], own, file)


def main():
    every = list(jobs())
    if not every:
        sys.exit("No source was found: has cmake made build/tidy and build/tidy-unity?")
    CLEAN.mkdir(parents=True, exist_ok=True)
    left = [job for job in every if not job[1].exists()]

    def run(job):
        done = subprocess.run(job[0], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            job[1].touch()
        return done

    seen, failed = set(), 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for (call, _), done in zip(left, pool.map(run, left)):
            if done.returncode == 0:
                continue
            failed += 1
            if done.stdout not in seen:
                print(f"{call[-1]}:\n{done.stdout}{'' if done.stdout else done.stderr}", flush=True)
            seen.add(done.stdout)
    print(f"{len(left)} runs of clang-tidy, {failed} with findings; {len(every) - len(left)} had been clean before")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
