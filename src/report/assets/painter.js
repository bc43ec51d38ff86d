// The canvas. Only what is visible is drawn; where operations are narrower than a pixel, one box stands for many.

let GUTTER = 104;     // names of processes, on the left: as wide as they need, within reason
const AXIS = 26;      // numbers, at the top
const CODE = '12px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';
const PROSE = '12px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
const HUES = [214, 150, 276, 40, 184, 316, 90, 246];   // by function; red is for what is wrong

// One for each kind of operation; where there are more than these, as far apart as the circle without red allows.
function hueOf(kind, kinds) {
  if (kinds <= HUES.length) return HUES[kind];
  return 30 + 300 * kind / kinds;
}

class Painter {
  constructor(canvas, view, state) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.view = view;
    this.state = state;   // what is selected, hovered over, found
    this.readTheme();
    this.context.font = PROSE;
    const width = (names, font) => {
      this.context.font = font;
      return names.reduce((most, name) => Math.max(most, this.context.measureText(name.slice(0, 40)).width), 0);
    };
    this.widest = Math.max(width(view.recording.processes, PROSE), width(view.recording.objects, "600 " + PROSE));
  }

  readTheme() {
    const style = getComputedStyle(document.documentElement);
    const names = ["back", "panel", "text", "soft", "line", "strong-line", "lane", "accent", "accent-soft", "bad", "bad-soft",
      "bad-ink", "found", "ink"];
    this.color = Object.fromEntries(names.map((name) => [name, style.getPropertyValue("--" + name).trim()]));
    const dark = document.documentElement.dataset.theme === "dark";
    this.functionColors = this.view.recording.functions.map((_, f) => {
      const hue = hueOf(f, this.view.recording.functions.length);
      return dark
        ? { fill: `hsl(${hue} 32% 21%)`, edge: `hsl(${hue} 34% 43%)`, ink: `hsl(${hue} 60% 87%)`, many: `hsl(${hue} 28% 36%)` }
        : { fill: `hsl(${hue} 70% 95%)`, edge: `hsl(${hue} 48% 68%)`, ink: `hsl(${hue} 55% 24%)`, many: `hsl(${hue} 46% 76%)` };
    });
  }

  fitCanvas() {
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth, clientHeight } = this.canvas;
    this.canvas.width = Math.round(clientWidth * ratio);
    this.canvas.height = Math.round(clientHeight * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    GUTTER = Math.ceil(Math.min(Math.max(this.widest + 34, 80), 190, clientWidth * 0.34));
    this.view.resize(clientWidth, clientHeight);
  }

  draw() {
    const { context: c, view, canvas } = this;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    c.fillStyle = this.color.back;
    c.fillRect(0, 0, width, height);
    c.save();
    c.beginPath();
    c.rect(0, AXIS, width, height - AXIS);
    c.clip();
    const first = Math.max(0, Math.floor(view.top / view.laneHeight()));
    const last = Math.min(view.lanes.length, first + Math.ceil(height / view.laneHeight()) + 1);
    for (let row = first; row < last; ++row) this.laneBack(row, width);
    this.drawGrid(height);
    if (this.state.path) this.drawPath(width);
    for (let row = first; row < last; ++row) this.drawLane(row, width);
    this.drawMarked();
    if (this.state.path) this.drawPoints(width);
    this.drawCallouts();
    this.drawEndOfOrder(height);
    c.restore();
    this.drawNames(first, last, height);
    this.drawAxis(width);
  }

  laneBack(row, width) {
    const { context: c, view } = this;
    if (row % 2 === 0) {
      c.fillStyle = this.color.lane;
      c.fillRect(GUTTER, view.y(row), width - GUTTER, view.laneHeight());
    }
    c.fillStyle = this.color.line;
    c.fillRect(GUTTER, Math.round(view.y(row) + view.laneHeight()) - 1, width - GUTTER, 1);
  }

  box(i) {
    const { view } = this;
    const row = view.row[view.recording.lane[i]];
    const left = view.x(view.call[i]);
    const right = view.x(Math.min(view.ret[i], view.length));
    return { left, width: Math.max(right - left, 2), top: view.y(row) + Math.round(view.laneHeight() / 6), height: Math.round(view.laneHeight() * 0.62) };
  }

  drawLane(row, width) {
    const { view } = this;
    const { operations } = view.lanes[row];
    const end = view.positionAt(width);
    const dim = view.recording.impossible >= 0 && !view.isFiltered;
    for (let k = view.firstEndingAfter(operations, view.positionAt(GUTTER)); k < operations.length;) {
      const i = operations[k];
      if (view.call[i] > end) break;
      const box = this.box(i);
      const next = k + 1 < operations.length ? view.x(view.call[operations[k + 1]]) : Infinity;
      if (box.width >= 3 || next > box.left + 2) {
        this.drawOperation(i, box, dim && !view.recording.core[i]);
        ++k;
      } else {
        k = this.drawMany(operations, k, box, dim);
      }
    }
  }

  // A run of operations that fall into the same two pixels, as one box; gives the first after them.
  drawMany(operations, k, box, dim) {
    const { context: c, view } = this;
    const until = view.positionAt(box.left + 2);
    c.globalAlpha = dim ? 0.6 : 1;
    c.fillStyle = this.functionColors[view.recording.functionOf[operations[k]]].many;
    c.fillRect(box.left, box.top, 2.2, box.height);
    c.globalAlpha = 1;
    return Math.max(k + 1, view.firstEndingAfter(operations, until));
  }

  drawOperation(i, box, dim) {
    const { context: c, view } = this;
    const r = view.recording;
    const colors = this.functionColors[r.functionOf[i]];
    const bad = i === r.impossible;
    c.globalAlpha = dim ? 0.62 : 1;
    c.fillStyle = bad ? this.color["bad-soft"] : colors.fill;
    c.strokeStyle = bad ? this.color.bad : r.core[i] ? this.color.accent : colors.edge;
    c.lineWidth = bad || r.core[i] ? 2 : 1;
    if (box.width < 5) {
      c.fillStyle = c.strokeStyle;
      c.fillRect(box.left, box.top, box.width, box.height);
    } else {
      c.setLineDash(r.isPending(i) ? [5, 3] : []);
      c.beginPath();
      c.roundRect(box.left + 0.5, box.top + 0.5, box.width - 1, box.height, Math.min(5, box.width / 3));
      c.fill();
      c.stroke();
      c.setLineDash([]);
      this.drawText(i, box, bad ? this.color["bad-ink"] : colors.ink);
    }
    c.globalAlpha = 1;
  }

  // The text stays within the box, and within the window while the box is.
  drawText(i, box, color, cut = false) {
    const { context: c } = this;
    const left = Math.max(box.left, GUTTER) + 7;
    const room = Math.floor((box.left + box.width - 6 - left) / this.charWidth());
    if (room < 2) return;
    let text = this.view.recording.label(i);
    if (text.length > room && !cut && this.hasCallout(i)) return;
    if (text.length > room) text = room < 4 ? "" : text.slice(0, room - 1) + "…";
    c.font = CODE;
    c.fillStyle = color;
    c.textBaseline = "middle";
    c.fillText(text, left, box.top + box.height / 2 + 1);
  }
  charWidth() {
    if (!this.measured) {
      this.context.font = CODE;
      this.measured = this.context.measureText("0000000000").width / 10;
    }
    return this.measured;
  }

  // What must be seen however small it is: the core, what was found, what is selected, on top of all.
  drawMarked() {
    const { context: c, view, state } = this;
    const r = view.recording;
    const visible = (i) => view.shows(i) && view.x(view.call[i]) < view.width + GUTTER && view.x(view.ret[i]) > GUTTER;
    for (const i of state.found.length > 5000 ? [] : state.found) {
      if (visible(i)) this.outline(i, this.color.found, 2.5);
    }
    for (const i of r.coreList.length > 5000 ? [r.impossible] : r.coreList) {
      if (!visible(i)) continue;
      const box = this.box(i);
      box.width = Math.max(box.width, 4);
      if (box.width < 8) {
        c.fillStyle = i === r.impossible ? this.color.bad : this.color.accent;
        c.fillRect(box.left, box.top - 2, box.width, box.height + 4);
      }
    }
    if (state.hovered >= 0 && visible(state.hovered)) this.outline(state.hovered, this.color.accent, 1.5);
    if (state.selected >= 0 && visible(state.selected)) this.outline(state.selected, this.color.text, 2);
  }
  outline(i, color, width) {
    const { context: c } = this;
    const box = this.box(i);
    c.strokeStyle = color;
    c.lineWidth = width;
    c.beginPath();
    c.roundRect(box.left - 2, box.top - 2, box.width + 4, box.height + 5, 6);
    c.stroke();
  }
}
