"""A Slurm of one node in a folder of its own: controller, node and munge, none of which outlives it."""
import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import time

CONF = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
SlurmctldPort={controller_port}
SlurmdPort={node_port}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/controller.pid
SlurmdPidFile={folder}/node.pid
SlurmctldLogFile={folder}/controller.log
SlurmdLogFile={folder}/node.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/linear
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES OverSubscribe=FORCE:4 State=UP
"""


class CannotStart(Exception):
    """Why there is no Slurm here."""


def free_ports(number):
    sockets = [socket.socket() for _ in range(number)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def processes_of(conf):
    """All processes, but this one, that the configuration at `conf` has been handed down to: daemons and jobs."""
    mark, found = f"SLURM_CONF={conf}\0".encode(), []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (folder / "environ").read_bytes() and int(folder.name) != os.getpid():
                found.append(int(folder.name))
    return found


class Cluster:
    def __init__(self, folder):
        self.folder, self.daemons = folder, []
        for part in ("state", "spool"):
            (folder / part).mkdir(parents=True)
        folder.chmod(0o755)
        controller_port, node_port = free_ports(2)
        import pwd  # here, not on a machine that has none
        conf = CONF.format(host=socket.gethostname().split(".")[0], user=pwd.getpwuid(os.getuid()).pw_name,
                           folder=folder, controller_port=controller_port, node_port=node_port, cpus=os.cpu_count())
        (folder / "slurm.conf").write_text(conf)
        self.environment = dict(os.environ, SLURM_CONF=str(folder / "slurm.conf"))

    def start(self):
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self.daemon("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.folder}/munge.socket",
                    f"--pid-file={self.folder}/munge.pid", f"--log-file={self.folder}/munge.log",
                    f"--seed-file={self.folder}/munge.seed")
        self.wait(lambda: (self.folder / "munge.socket").exists(), "munged", 5)
        self.daemon("slurmctld", "-D", "-f", self.environment["SLURM_CONF"])
        # Which control groups the machine has is nothing to us, and the node does not start with the wrong ones.
        for plugin in ("autodetect", "cgroup/v1", "cgroup/v2"):
            (self.folder / "cgroup.conf").write_text(f"CgroupPlugin={plugin}\n")
            node = self.daemon("slurmd", "-D", "-f", self.environment["SLURM_CONF"])
            for _ in range(80):
                if node.poll() is not None:
                    break
                if "idle" in self.call("sinfo", "--noheader", "--format=%T", strict=False):
                    return
                time.sleep(0.1)
        raise CannotStart(f"slurmd does not become idle: {(self.folder / 'slurmd.said').read_text()[-1500:]}")

    def daemon(self, *command):
        said = open(self.folder / f"{command[0]}.said", "w")
        try:
            process = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        except OSError as error:
            raise CannotStart(f"{command[0]}: {error.strerror}") from error
        self.daemons.append(process)
        return process

    def wait(self, done, what, seconds):
        until = time.monotonic() + seconds
        while not done():
            if time.monotonic() > until:
                raise CannotStart(f"{what}: nothing after {seconds} s")
            time.sleep(0.05)

    def call(self, *command, strict=True):
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=20)
        if strict and done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr}")
        return done.stdout

    def states(self, job):
        """What became of each part of a job that Slurm still knows: by its number in the array."""
        text = self.call("squeue", "--noheader", "--array", "--states=all", f"--jobs={job}", "--format=%K %T", strict=False)
        return dict(line.split()[:2] for line in text.splitlines() if line.strip())

    def stop(self):
        self.call("scancel", "--state=RUNNING", "--full", "--signal=KILL", strict=False)
        self.call("scancel", "--user", self.environment.get("USER", "root"), strict=False)
        for process in reversed(self.daemons):
            process.terminate()
        for process in reversed(self.daemons):
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(3)
        until = time.monotonic() + 10
        while (left := self.left()) and time.monotonic() < until:
            for process in left:
                with contextlib.suppress(OSError):
                    os.kill(process, signal.SIGKILL)
            time.sleep(0.05)

    def left(self):
        for process in self.daemons:
            process.poll()
        return processes_of(self.environment["SLURM_CONF"])
