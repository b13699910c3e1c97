"""`python -m errorkb`."""

import sys

from errorkb.cli import main

if __name__ == "__main__":
    sys.exit(main())
