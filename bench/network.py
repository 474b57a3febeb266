# SPDX-License-Identifier: Apache-2.0
"""Network namespaces, one per rank, with limited bandwidth or a delay. Needs root."""

import collections
import fcntl
import multiprocessing
import os
import select
import struct
import subprocess
import sys
import time


def run(*command):
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")


class Network:
    """Namespaces with addresses 10.99.0.1, 10.99.0.2 … on devices in0, in1 …, which connect() of a subclass creates."""

    def __init__(self, ranks, link):
        self.ranks = ranks
        self.link = link
        self.name = f"od{os.getpid()}r{ranks}"

    def __enter__(self):
        try:
            for rank in range(self.ranks):
                run("ip", "netns", "add", self.space(rank))
            self.connect()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for rank in range(self.ranks):
            subprocess.run(["ip", "netns", "delete", self.space(rank)], check=False)

    def space(self, rank):
        return f"{self.name}n{rank}"

    def within(self, rank, *command):
        run("ip", "netns", "exec", self.space(rank), *command)

    def set_up(self, rank):
        self.within(rank, "ip", "address", "add", f"10.99.0.{rank + 1}/24", "dev", f"in{rank}")
        self.within(rank, "ip", "link", "set", f"in{rank}", "up")
        self.within(rank, "ip", "link", "set", "lo", "up")

    def launcher(self, folder):
        """mpirun in the first namespace. It starts its daemons in the others directly instead of by ssh."""
        agent = folder / "agent"
        agent.write_text(f"""#!/bin/sh
host=$1; shift
export TMPDIR={folder}/$host  # otherwise daemons on one machine would share folders
mkdir -p "$TMPDIR"
exec ip netns exec {self.name}n$((${{host##*.}} - 1)) sh -c "$*"
""")
        agent.chmod(0o755)
        hosts = ",".join(f"10.99.0.{rank + 1}:1" for rank in range(self.ranks))
        return ["ip", "netns", "exec", self.space(0), "mpirun", "-n", str(self.ranks), "-H", hosts,
                "--mca", "plm_rsh_agent", agent, "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "10.99.0.0/24",
                "--mca", "oob_tcp_if_include", "10.99.0.0/24", "--bind-to", "none", "--mca", "pml", "ob1"]


class LimitedNetwork(Network):
    """All namespaces on one bridge, with a token bucket that limits what each rank sends, in Mbit/s; None means no
    limit."""

    def connect(self):
        run("ip", "link", "add", self.name, "type", "bridge")
        run("ip", "link", "set", self.name, "up")
        for rank in range(self.ranks):
            outside = self.outside(rank)
            run("ip", "link", "add", outside, "type", "veth", "peer", "name", f"in{rank}", "netns", self.space(rank))
            run("ip", "link", "set", outside, "master", self.name, "up")
            self.set_up(rank)
            if self.link:
                self.within(rank, "tc", "qdisc", "add", "dev", f"in{rank}", "root", "tbf", "rate", f"{self.link}mbit",
                            "burst", "64kb", "latency", "200ms")

    def outside(self, rank):
        return f"{self.name}v{rank}"

    def __exit__(self, *_):
        # A deleted namespace removes its devices only some time later, when the next network may already use their
        # names.
        for device in [*map(self.outside, range(self.ranks)), self.name]:
            subprocess.run(["ip", "link", "delete", device], check=False, capture_output=True)
        super().__exit__()


class DelayedNetwork(Network):
    """Packets pass through a process that delays them by this many milliseconds, as netem would, for kernels without
    it. None means no delay."""

    relay = None

    def connect(self):
        devices = [self.open_tunnel(rank) for rank in range(self.ranks)]
        self.relay = multiprocessing.get_context("fork").Process(target=relay, args=(devices, 1e-3 * (self.link or 0)))
        self.relay.start()
        for device in devices:
            os.close(device)

    def open_tunnel(self, rank):
        set_interface, without_header = 0x400454CA, 0x0001 | 0x1000
        device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(device, set_interface, struct.pack("16sH", f"in{rank}".encode(), without_header))
        run("ip", "link", "set", f"in{rank}", "mtu", "65000", "netns", self.space(rank))
        self.set_up(rank)
        return device

    def __exit__(self, *_):
        if self.relay:
            self.relay.kill()
            self.relay.join()
        super().__exit__()


def relay(devices, delay):
    """Relays packets. All delays are equal, so they leave in the order of arrival."""
    held = collections.deque()
    while True:
        wait = max(held[0][0] - time.monotonic(), 0) if held else None
        for device in select.select(devices, [], [], wait)[0]:
            packet = os.read(device, 65536)
            receiver = packet[19] - 1 if packet[0] >> 4 == 4 else None  # the last byte of the IPv4 address
            if receiver in range(len(devices)):
                held.append((time.monotonic() + delay, devices[receiver], packet))
        while held and held[0][0] <= time.monotonic():
            _, device, packet = held.popleft()
            os.write(device, packet)
