"""`python -m followsuit.app` is the command `followsuit`."""

import sys

from .main import main

sys.exit(main())
