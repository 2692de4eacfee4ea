"""``python -m contractd``."""

from contractd.cli.main import main

main()
