#!/usr/bin/env python3
"""Runs clang-tidy over every source, once, as it is compiled in double precision: run_tidy.py

The analyzer looks into the functions of a source alone, so that it takes each source but those of tests by itself. All other checks walk over
whole translation units, headers of packages included: they take the sources of a unity build, eight at a time, which reads
those headers once. Both configurations (presets tidy and tidy-unity) must have been made; nothing is compiled.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PASSES = {
    # Quadrature walks over grids whose steps are powers of two, and so exact: FloatLoopCounter would have them counted.
    "tidy": "-*,clang-analyzer-*,-clang-analyzer-security.FloatLoopCounter",
    "tidy-unity": "-clang-analyzer-*,-bugprone-suspicious-include",
}
# What walks every path through a source takes seconds a source. Tests are run on every path they have, by sanitizers too.
NOT_ANALYZED = ROOT / "tests"


def commands(preset):
    """The compile commands of a configuration, without those of single precision and of generated sources."""
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
    return double, sorted(kept)


def main():
    jobs = []
    for preset, checks in PASSES.items():
        database, files = commands(preset)
        if preset == "tidy":
            files = [f for f in files if NOT_ANALYZED not in pathlib.Path(f).parents]
        jobs += [["clang-tidy", "--quiet", "--warnings-as-errors=*", f"--checks={checks}", "-p", database, f] for f in files]
    if not jobs:
        sys.exit("No source was found: has cmake made build/tidy and build/tidy-unity?")

    def run(job):
        return subprocess.run(job, capture_output=True, text=True, check=False)

    seen, failed = set(), 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for job, done in zip(jobs, pool.map(run, jobs)):
            if done.returncode == 0:
                continue
            failed += 1
            if done.stdout not in seen:
                print(f"{job[-1]}:\n{done.stdout}{'' if done.stdout else done.stderr}", flush=True)
            seen.add(done.stdout)
    print(f"{len(jobs)} runs of clang-tidy, {failed} with findings")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
