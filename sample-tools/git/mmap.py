"""Stands in for `mmap`, which a tool has not: dulwich imports it, and reads files where this fails."""

ACCESS_READ = 1


class mmap:
    def __init__(self, *_, **__):
        raise OSError("files cannot be mapped")
