"""Draws docs/decay.svg from the formulas of the server. Usage: python docs/plot_decay.py"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from recalld_server.core.decay import recency, semantic_weight, use_boost

WIDTH, HEIGHT, LEFT, TOP = 300, 160, 40, 40
PANELS: list[tuple[str, str, float, float, list[tuple[str, Callable[[float], float]]]]] = [
    (
        "recency by days since the last use",
        "days",
        180,
        1.0,
        [("half-life 30 d", lambda d: recency(d, 30)), ("half-life 90 d", lambda d: recency(d, 90))],
    ),
    ("use by number of uses", "uses", 50, 5.0, [("1 + ln(1 + n)", lambda n: use_boost(int(n)))]),
    ("weight of what is free of time, by days without a hit", "days", 720, 1.0, [("0.8^(d / 90)", semantic_weight)]),
]
COLOURS = ("#2563eb", "#d97706")


def panel(
    at: int, title: str, unit: str, far: float, high: float, lines: list[tuple[str, Callable[[float], float]]]
) -> str:
    top = TOP + at * (HEIGHT + 70)
    parts = [f'<text x="{LEFT}" y="{top - 12}" font-weight="bold">{title}</text>']
    parts.append(f'<path d="M{LEFT} {top}V{top + HEIGHT}H{LEFT + WIDTH}" fill="none" stroke="#888"/>')
    for share in (0.0, 0.5, 1.0):
        y, x = top + HEIGHT * (1 - share), LEFT + WIDTH * share
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.0f}" text-anchor="end">{high * share:g}</text>')
        parts.append(f'<text x="{x:.0f}" y="{top + HEIGHT + 16}" text-anchor="middle">{far * share:g}</text>')
    parts.append(f'<text x="{LEFT + WIDTH + 14}" y="{top + HEIGHT + 16}">{unit}</text>')
    for colour, (name, value) in zip(COLOURS, lines, strict=False):
        points = [
            f"{LEFT + WIDTH * step / 100:.1f},{top + HEIGHT * (1 - value(far * step / 100) / high):.1f}"
            for step in range(101)
        ]
        last = points[-1].partition(",")[2]
        parts.append(f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{LEFT + WIDTH + 8}" y="{float(last) + 4:.0f}" fill="{colour}">{name}</text>')
    return "\n".join(parts)


def main() -> None:
    height = TOP + len(PANELS) * (HEIGHT + 70)
    body = "\n".join(panel(at, *each) for at, each in enumerate(PANELS))
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH + 200} {height}" width="{WIDTH + 200}"'
        f' font-family="sans-serif" font-size="12">\n<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n'
    )
    (Path(__file__).parent / "decay.svg").write_text(svg)


if __name__ == "__main__":
    main()
