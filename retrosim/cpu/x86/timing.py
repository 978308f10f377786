from __future__ import annotations


class Untimed:
    counts = False

    def __init__(self, m):
        self.m = m

    @staticmethod
    def fields(insn):
        return ()

    def start(self, row, operands, take):
        pass

    def outcome(self, condition):
        pass

    def memory(self, address, bits, write):
        pass

    def depends(self, what, *words):
        pass

    def written(self, register, stage):
        pass

    def finish(self):
        pass


MODELS = {n: {"off": Untimed, "table": Untimed, "full": Untimed} for n in ("i386", "i486")}
