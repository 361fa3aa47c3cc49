"""python -m redmax"""

import sys

from redmax.cli import main

sys.exit(main())
