"""The command line: parse, call the library, render, exit. One file per command; heavy rooms are imported when used."""
