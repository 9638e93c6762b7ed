"""Hits in an event loop."""

import asyncio
from typing import AsyncIterator, List, Optional, Protocol, TypeVar

Hit = TypeVar("Hit")


class Batches(Protocol[Hit]):
    """A search, as this module uses it."""

    def _next_batch(self) -> Optional[List[Hit]]: ...

    def close(self) -> None: ...


async def hits(search: Batches[Hit]) -> AsyncIterator[Hit]:
    """Yield the hits of a search, which is closed with the generator."""
    loop = asyncio.get_running_loop()
    try:
        while True:
            batch = await loop.run_in_executor(None, search._next_batch)
            if batch is None:
                return
            for hit in batch:
                yield hit
    finally:
        search.close()
