"""python -m redmax.cli"""

import sys

from redmax.cli import main

sys.exit(main())
