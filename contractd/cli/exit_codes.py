"""What the exit status means. All other codes are reserved."""

from __future__ import annotations

READY = 0
NOT_READY = 1
USAGE = 2
UNDETERMINED = 3
INTERRUPTED = 130

MEANINGS = {
    READY: "ready: nothing at or above --fail-on was found",
    NOT_READY: "not ready: a finding at or above --fail-on (default medium) is open",
    USAGE: "usage or broken configuration: nothing was checked",
    UNDETERMINED: "undetermined: something could not be found out, and no finding makes it not ready",
    INTERRUPTED: "interrupted: every process that was started has been ended",
}

BY_VERDICT = {"ready": READY, "not_ready": NOT_READY, "undetermined": UNDETERMINED}
EPILOG = "Exit status: " + "; ".join(f"{code} {meaning}" for code, meaning in MEANINGS.items()) + "."
