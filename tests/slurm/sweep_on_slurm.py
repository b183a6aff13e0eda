#!/usr/bin/python3
"""A sweep as jobs of a real Slurm, some of them killed and requeued: sweep_on_slurm.py PROGRAM SCRATCH_FOLDER

Its table must be that of the sweep in one piece, to the byte. Exit status: 0 it is, 1 it is not, 77 there is no Slurm here.
Where the variable CI is set and slurmctld is installed, a Slurm that cannot be started is a failure.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from cluster import CannotStart, Cluster

BASE = """seed = 3
data = { type = "bars_and_stripes", side = 3 }
model = { type = "rbm", num_visible = 9, num_hidden = 8 }
estimator = { type = "pcd", num_chains = 50 }
training = { num_epochs = 25000, batch_size = 7, checkpoint_minutes = 0.002 }
pictures = { which = [] }
observers = [{ type = "reconstruction_error" }]
"""
SWEEP = """base = "base.toml"
seed = [1, 2]
grid = { "model.num_hidden" = [6, 8] }
slurm = { cpus-per-task = 1, time = "00:10:00" }
"""


def skip(why):
    print(f"skipped: {why}")
    sys.exit(1 if os.environ.get("CI") and shutil.which("slurmctld") else 77)


class Test:
    def __init__(self, program, scratch, cluster):
        self.program, self.scratch, self.cluster = program, scratch, cluster
        (scratch / "base.toml").write_text(BASE)
        (scratch / "jobs.toml").write_text(SWEEP)

    def sweep(self, *arguments, status=0):
        done = subprocess.run([self.program, "sweep", "jobs.toml", *arguments], cwd=self.scratch,
                              env=self.cluster.environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == status, f"{arguments}: status {done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout

    def submit(self):
        """The numbers of the array and of the job that gathers."""
        lines = self.sweep("--slurm", "--output", "cluster").splitlines()
        assert lines[0].endswith("4 tasks") and "gathers into" in lines[1], lines
        return [line.split(":")[0].split()[1] for line in lines]

    def until(self, done, what, seconds=60):
        limit = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < limit, f"{what}: not after {seconds} s; {self.cluster.call('squeue', '--array')}"
            time.sleep(0.05)

    def gathered(self, job):
        return set(self.cluster.states(job).values()) <= {"COMPLETED", "FAILED"}

    def checkpoints(self):
        return list((self.scratch / "cluster/runs").glob("*/checkpoints/*.h5"))

    def go(self):
        self.sweep("--output", "whole", "--quiet")
        whole = (self.scratch / "whole/sweep.csv").read_bytes()
        assert whole.count(b",finished,") == 4, whole

        array, gather = self.submit()
        self.until(self.checkpoints, "a checkpoint of a task")
        running = [task for task, state in self.cluster.states(array).items() if state == "RUNNING"]
        assert running, self.cluster.states(array)
        self.cluster.call("scancel", "--signal=KILL", "--full", f"{array}_{running[0]}")
        for task in running[1:2]:
            self.cluster.call("scontrol", "requeue", f"{array}_{task}")
        self.until(lambda: self.gathered(gather), "the first gathering")
        table = (self.scratch / "cluster/sweep.csv").read_text()
        assert table.count(",unfinished,") == 1 and table.count(",finished,") == 3, table

        array, gather = self.submit()
        self.until(lambda: self.gathered(gather), "the second gathering")
        assert (self.scratch / "cluster/sweep.csv").read_bytes() == whole, "the table is another one"
        assert self.sweep("--slurm", "--output", "cluster").startswith(str(self.scratch / "cluster/sweep.csv"))
        for folder in (self.scratch / "whole/runs").iterdir():
            for file in ("model.h5", "metrics.jsonl"):
                other = self.scratch / "cluster/runs" / folder.name / file
                assert other.read_bytes() == (folder / file).read_bytes(), f"{other} is another one"


def main():
    program, scratch = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    for needed in ("slurmctld", "slurmd", "sbatch", "munged"):
        if not shutil.which(needed, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin"):
            skip(f"{needed} is not installed (Debian: slurm-wlm, munge)")
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="harmonium-slurm-"))  # the path of a socket is short
    cluster = Cluster(folder)
    try:
        try:
            cluster.start()
        except CannotStart as why:
            skip(f"Slurm cannot be started here: {why}")
        Test(str(program), scratch, cluster).go()
    finally:
        cluster.stop()
        assert not cluster.left(), "a process was left"
        shutil.rmtree(folder, ignore_errors=True)
    print("the sweep on Slurm is the sweep in one piece")


if __name__ == "__main__":
    main()
