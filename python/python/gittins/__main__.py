"""`python -m gittins` is the command `gittins`."""

from __future__ import annotations

import sys

from gittins._command import main

sys.exit(main())
