"""How the demo looks: headings, tables, and every expectation with a tick or a cross."""

from __future__ import annotations

import time

from rich.console import Console
from rich.table import Table

from recalld import SearchResult


class Screen:
    """Prints the demo and counts what did not come out as expected."""

    def __init__(self) -> None:
        self.console = Console(highlight=False)
        self.failures = 0
        self._start = time.perf_counter()

    def step(self, title: str, says: str = "") -> None:
        """Begins a part."""
        self.console.print(f"\n[bold cyan]{title}[/]  [dim]{self.seconds:.1f} s[/]")
        if says:
            self.console.print(f"[dim]{says}[/]")

    @property
    def seconds(self) -> float:
        """Since the demo began."""
        return time.perf_counter() - self._start

    def expect(self, what: str, held: bool) -> None:
        """An expectation that held, or did not."""
        self.failures += not held
        self.console.print(f"  {'[green]✓[/]' if held else '[bold red]✗[/]'} {what}")

    def table(self, *columns: str, title: str = "") -> Table:
        """An empty table in the demo's style."""
        table = Table(title=title or None, title_justify="left", header_style="bold", box=None, pad_edge=False)
        for column in columns:
            table.add_column(column, overflow="fold")
        return table

    def hits(self, asker: str, query: str, result: SearchResult, expected: str, within: int) -> None:
        """The answer to a question, and whether the expected memory is among the first hits."""
        found = [expected in hit.content for hit in result.hits[:within]]
        self.console.print(f"\n  [bold]{asker}[/] asks: [italic]{query}[/]")
        for place, hit in enumerate(result.hits[:within], 1):
            mark = "[green]▸[/]" if expected in hit.content else " "
            who = hit.memory.agent_id
            self.console.print(f"   {mark} {place}. [dim]{hit.score:.2f} {who:8}[/] {hit.content}")
        self.expect(
            f"“{expected}” is among the first {within}" if within > 1 else f"“{expected}” comes first", any(found)
        )
