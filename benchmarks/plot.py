"""Lines over two logarithmic axes as an SVG picture, in the colours of the reports."""

import math
from html import escape

COLORS = ["#3b6fb6", "#d1603b", "#2f9e6e", "#8a5cc2", "#b8860b", "#c2437a", "#4aa3b8", "#7a8c2e"]
STYLE = """<style>
.plumb-plot{--back:#fff;--text:#1f2430;--soft:#667085;--line:#e4e7ec}
@media (prefers-color-scheme:dark){.plumb-plot{--back:#14171d;--text:#e6e9ef;--soft:#98a2b3;--line:#2a303b}}
.plumb-plot text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:var(--text)}
.plumb-plot .soft{fill:var(--soft)}
.plumb-plot .back{fill:var(--back)}
.plumb-plot .grid{stroke:var(--line)}
.plumb-plot path{fill:none;stroke-width:1.6}
</style>"""
WIDTH, HEIGHT, LEFT, TOP, LEGEND, GAP = 300, 240, 62, 34, 200, 40


def decades(values):
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def number(exponent):
    return f"{10 ** exponent:,}" if exponent >= 0 else f"{10.0 ** exponent:g}"


class Panel:
    """One pair of axes; `lines` maps a name to [(x, y), …]."""

    def __init__(self, title, lines, left, x_range, y_range):
        self.title, self.lines, self.left, self.x_range, self.y_range = title, lines, left, x_range, y_range

    def x(self, value):
        low, high = self.x_range
        return self.left + WIDTH * (math.log10(value) - low) / (high - low)

    def y(self, value):
        low, high = self.y_range
        return TOP + HEIGHT * (high - math.log10(value)) / (high - low)

    def draw(self, names, dashed):
        out = [f'<text x="{self.left + WIDTH / 2:.0f}" y="{TOP - 14}" text-anchor="middle">{escape(self.title)}</text>']
        for exponent in range(self.y_range[0], self.y_range[1] + 1):
            at = self.y(10.0 ** exponent)
            out.append(f'<line class="grid" x1="{self.left}" x2="{self.left + WIDTH}" y1="{at:.1f}" y2="{at:.1f}"/>'
                       f'<text class="soft" x="{self.left - 6}" y="{at + 4:.1f}" text-anchor="end">{number(exponent)}</text>')
        for exponent in range(self.x_range[0], self.x_range[1] + 1):
            at = self.x(10.0 ** exponent)
            out.append(f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="{TOP}" y2="{TOP + HEIGHT}"/>'
                       f'<text class="soft" x="{at:.1f}" y="{TOP + HEIGHT + 16}" text-anchor="middle">{number(exponent)}</text>')
        for name, points in self.lines.items():
            color = COLORS[names.index(name) % len(COLORS)]
            path = "L".join(f"{self.x(x):.1f} {self.y(y):.1f}" for x, y in points)
            dash = ' stroke-dasharray="4 3"' if name in dashed else ""
            out.append(f'<path d="M{path}" stroke="{color}"{dash}/>')
        return out


def draw(panels, x_title, y_title, label, dashed=()):
    """`panels` maps a title to its lines. All panels share their axes and colours."""
    names = list(dict.fromkeys(name for lines in panels.values() for name in lines))
    points = [point for lines in panels.values() for line in lines.values() for point in line]
    x_range, y_range = decades([x for x, _ in points]), decades([y for _, y in points])
    width = LEFT + len(panels) * (WIDTH + GAP) + LEGEND
    height = TOP + HEIGHT + 48
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" class="plumb-plot" viewBox="0 0 {width} {height}" width="{width}" '
           f'height="{height}" role="img" aria-label="{escape(label)}">', STYLE, '<rect class="back" width="100%" height="100%"/>']
    for i, (title, lines) in enumerate(panels.items()):
        out += Panel(title, lines, LEFT + i * (WIDTH + GAP), x_range, y_range).draw(names, dashed)
    middle = LEFT + (len(panels) * (WIDTH + GAP) - GAP) / 2
    out.append(f'<text x="{middle:.0f}" y="{TOP + HEIGHT + 38}" text-anchor="middle">{escape(x_title)}</text>')
    out.append(f'<text x="14" y="{TOP + HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 14 {TOP + HEIGHT / 2})">'
               f'{escape(y_title)}</text>')
    for i, name in enumerate(names):
        row, left = TOP + 10 + 20 * i, LEFT + len(panels) * (WIDTH + GAP) - GAP + 20
        out.append(f'<rect x="{left}" y="{row - 10}" width="12" height="12" fill="{COLORS[i % len(COLORS)]}"/>'
                   f'<text x="{left + 18}" y="{row}">{escape(name)}</text>')
    return "\n".join([*out, "</svg>", ""])
