# SPDX-License-Identifier: Apache-2.0
"""refuse.py -- says which calls fail in programs that run with refuse.c

    with Refusing() as refuse:
        subprocess.run(..., env={**os.environ, **refuse.env})
        refuse(OPEN, errno.EMFILE, skip=2, count=1)
"""
import mmap
import os
import struct
import tempfile

LIBRARY = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "build",
                       "refuse.so")
NOTHING, OPEN, READ, MEMORY, CLOSE = range(5)
ALWAYS = 0xffffffff
RULE = "iIIII108s"


class Refusing:
    def __enter__(self):
        self.file = tempfile.NamedTemporaryFile(prefix="gpuxml-refuse-")
        os.fchmod(self.file.fileno(), 0o666)        # a server's children are others than we
        self.file.truncate(struct.calcsize(RULE))
        self.rule = mmap.mmap(self.file.fileno(), struct.calcsize(RULE))
        self.env = {"LD_PRELOAD": LIBRARY, "REFUSE": self.file.name}
        return self

    def __exit__(self, *_):
        self.file.close()

    def __call__(self, call, error=0, skip=0, count=ALWAYS, part=""):
        """From now on; the call comes last, for a program may be looking."""
        self.rule[:4] = struct.pack("i", NOTHING)
        self.rule[4:] = struct.pack(RULE, NOTHING, error, skip, count, 0, part.encode())[4:]
        self.rule[:4] = struct.pack("i", call)

    def met(self):
        """Whether a call has failed since."""
        _, _, skip, _, seen, _ = struct.unpack(RULE, self.rule[:])
        return seen > skip
