"""Questions asked before a session: from a runtime's configuration to a verdict.

Comes in: a ``Request``. Goes out: a ``Report``: rows, tools under every name, findings, a verdict. ``engine.py`` is
the order of events, ``contact.py`` the only step that starts anything, ``rules/`` has one file per family, ``report/``
one per format. Must not know: the command line.
"""
