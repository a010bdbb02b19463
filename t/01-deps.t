#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/deps says what is missing and who has to install it; it never waits for a password that nobody is there to
type."""
import os
import subprocess
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *


def deps(*args, **programs):
    """What it says on a machine that has these programs alone, each a line of shell."""
    with tempfile.TemporaryDirectory() as folder:
        for name, line in programs.items():
            path = os.path.join(folder, name.replace("_", "-"))
            with open(path, "w") as f:
                f.write("#!/bin/sh\n%s\n" % line)
            os.chmod(path, 0o755)
        p = subprocess.run(["/bin/sh", os.path.join(ROOT, "tools", "deps"), *args], env={"PATH": folder},
                           stdin=subprocess.DEVNULL,
                           capture_output=True, text=True, timeout=20)
        return p.returncode, p.stdout + p.stderr


HAVE = 'echo "install ok installed"'
LACK = 'case "$3" in gcc|perl) ;; *) echo "install ok installed";; esac'
BY_HAND = "as root: apt-get install --no-install-recommends gcc"
is_(deps(dpkg_query=HAVE, id="echo 1000"), (0, ""), "all there: not a word")
code, said = deps(dpkg_query=LACK, id="echo 1000")
is_((code, said.rstrip().endswith(BY_HAND)), (1, True), "no sudo: what root has to type") or diag(said)
code, said = deps("test", dpkg_query=LACK, id="echo 1000")
is_((code, said.rstrip().endswith(BY_HAND + " perl")), (1, True), "the tests need more than the demo") or diag(said)
code, said = deps(dpkg_query=LACK, id="echo 1000", sudo='[ "$1" = -n ] && exit 1; echo PASSWORD; exec cat')
ok(code == 1 and BY_HAND in said and "PASSWORD" not in said, "sudo would ask for a password: the same") or diag(said)
code, said = deps(dpkg_query=LACK, id="echo 1000", sudo='[ "$1" = -n ] && exit 0; echo "user is not allowed" '
                                                        '>&2; exit 1')
ok(code == 1 and BY_HAND in said and "not allowed to" in said, "sudo refuses: the same") or diag(said)
code, said = deps(dpkg_query=LACK, id="echo 0", env="[ $1 = DEBIAN_FRONTEND=noninteractive ] && shift; echo ran $*")
is_((code, "ran apt-get install -y -q --no-install-recommends gcc" in said), (0, True), "root: installed") or diag(said)
done()
