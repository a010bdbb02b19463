#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A few stylesheets with random slips, always the same ones: what xsltproc takes is taken here, with the same bytes.
`make test-slips` tries thousands."""
import os, sys

HERE = os.path.dirname(os.path.abspath(__file__))
os.execv(sys.executable, [sys.executable, HERE + "/slips.py", "--count", "80", "--seed", "4"])
