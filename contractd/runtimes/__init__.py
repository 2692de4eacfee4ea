"""Agent runtimes as data and pure functions: one file per runtime.

Comes in: parsed configuration documents, the environment, the tools each server listed. Goes out: the servers a
runtime would start, what is wrong with its configuration, the names its model would see, who answers a clash.
What a runtime brings of its own is data in ``manifests/builtin``. Must not know: processes, sockets, findings. Pure.
"""
