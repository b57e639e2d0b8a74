"""The server through the SDK for Python.

usage: python sdk AGPM WORLD [WORD]      only tests with the word in their names
"""

import sys
import traceback

import anyio

import over_http  # noqa: F401
import over_stdio  # noqa: F401
from support import PATIENCE, TESTS, World


async def run(test, world):
    with anyio.fail_after(2 * PATIENCE):
        await test(world)


def main():
    world, word = World(*sys.argv[1:3]), "".join(sys.argv[3:4])
    chosen = [test for test in TESTS if word in test.__name__]
    failed = 0
    for test in chosen:
        name = test.__name__.replace("_", " ")
        try:
            anyio.run(run, test, world)
            print(f"ok      {name}", flush=True)
        except Exception:
            failed += 1
            print(f"FAILED  {name}\n{traceback.format_exc()}", flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed")


main()
