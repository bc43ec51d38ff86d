// The rest of the canvas: the path of the order, the axis, the names.

const MOST_POINTS = 3000;   // more than this on the screen is a blot, not a path

Object.assign(Painter.prototype, {
  pointAt(k) {
    const { view } = this;
    const box = this.box(view.recording.order[k]);
    return { x: view.x(view.point[k]), y: box.top + box.height + 1 };
  },

  // The steps in sight, and one on either side; none when they are too many to be told apart.
  visibleSteps(width) {
    const { view } = this;
    const { order } = view.recording;
    const first = Math.max(0, view.firstPointAfter(view.positionAt(GUTTER)) - 1);
    const last = Math.min(order.length, view.firstPointAfter(view.positionAt(width)) + 1);
    const steps = [];
    if (last - first > MOST_POINTS) return steps;
    for (let k = first; k < last; ++k) if (view.shows(order[k])) steps.push(k);
    return steps;
  },

  // Under the operations, so that they can be read.
  drawPath(width) {
    const { context: c } = this;
    const steps = this.visibleSteps(width);
    c.strokeStyle = this.color.ink;
    c.globalAlpha = 0.45;
    c.lineWidth = 1.2;
    c.setLineDash([4, 3]);
    c.beginPath();
    steps.forEach((k, n) => {
      const at = this.pointAt(k);
      if (n === 0) c.moveTo(at.x, at.y); else c.lineTo(at.x, at.y);
    });
    c.stroke();
    c.setLineDash([]);
    c.globalAlpha = 1;
  },

  drawPoints(width) {
    const steps = this.visibleSteps(width);
    const room = this.view.width / Math.max(steps.length, 1);
    for (const k of steps) this.drawPoint(k, room);
  },

  // What matters has its text beside it when it is too narrow to hold it.
  hasCallout(i) {
    const r = this.view.recording;
    return i === r.impossible || i === this.state.selected || (r.core[i] === 1 && r.coreList.length <= 40);
  },
  // Another operation of the lane, between these places.
  hides(i, from, to) {
    const { view } = this;
    const { operations } = view.lanes[view.row[view.recording.lane[i]]];
    for (let k = view.firstEndingAfter(operations, view.positionAt(from)); k < operations.length && view.x(view.call[operations[k]]) < to; ++k) {
      if (operations[k] !== i) return true;
    }
    return false;
  },
  drawCallouts() {
    const { view, state } = this;
    const r = view.recording;
    const wanted = new Set(r.coreList.length <= 40 ? r.coreList : [r.impossible]);
    wanted.add(state.selected);
    wanted.delete(-1);
    for (const i of wanted) {
      if (!view.shows(i)) continue;
      const box = this.box(i);
      const text = r.label(i).length > 48 ? r.label(i).slice(0, 47) + "…" : r.label(i);
      const size = text.length * this.charWidth();
      if (box.left > GUTTER + view.width || box.left + box.width < GUTTER || size + 13 <= box.left + box.width - Math.max(box.left, GUTTER)) continue;
      this.drawCallout(i, box, text, size);
    }
  },
  // Behind the operation or before it, where that is in the window and hides nothing else; else in its box, cut off.
  drawCallout(i, box, text, size) {
    const { context: c, view } = this;
    const bad = i === view.recording.impossible;
    const after = box.left + box.width + 6;
    const before = box.left - size - 20;
    const ends = GUTTER + view.width;
    let left = [after, before].find((at) => at > GUTTER && at + size + 12 < ends && !this.hides(i, at, at + size + 12));
    const letters = Math.floor((Math.min(box.left + box.width, ends) - Math.max(box.left, GUTTER) - 13) / this.charWidth());
    if (left === undefined && letters >= 4) return this.drawText(i, box, bad ? this.color["bad-ink"] : this.color.ink, true);
    left ??= after + size + 12 < ends ? after : Math.max(before, GUTTER + 4);
    const top = box.top + box.height / 2 - 10;
    c.globalAlpha = 0.94;
    c.fillStyle = bad ? this.color["bad-soft"] : this.color["accent-soft"];
    c.beginPath();
    c.roundRect(left, top, size + 12, 20, 4);
    c.fill();
    c.globalAlpha = 1;
    c.font = CODE;
    c.textBaseline = "middle";
    c.fillStyle = bad ? this.color["bad-ink"] : this.color.ink;
    c.fillText(text, left + 6, top + 11);
  },

  // With its number where there is room for it.
  drawPoint(k, room) {
    const { context: c, view, state } = this;
    const at = this.pointAt(k);
    const now = view.recording.order[k] === state.selected;
    const number = String(k + 1);
    const wide = 9 + 6 * number.length;
    c.fillStyle = now ? this.color.accent : this.color.ink;
    c.beginPath();
    if (room < wide + 22) {
      c.arc(at.x, at.y, now ? 5 : room > 9 ? 3.2 : 1.8, 0, 2 * Math.PI);
      c.fill();
      return;
    }
    c.roundRect(at.x - wide / 2, at.y - 7.5, wide, 15, 7.5);
    c.fill();
    c.strokeStyle = this.color.back;
    c.lineWidth = 1.5;
    c.stroke();
    c.font = "600 9.5px system-ui, sans-serif";
    c.fillStyle = this.color.back;
    c.textAlign = "center";
    c.textBaseline = "middle";
    c.fillText(number, at.x, at.y + 0.5);
    c.textAlign = "left";
  },

  // Where no order goes on.
  drawEndOfOrder(height) {
    const { context: c, view } = this;
    const r = view.recording;
    if (r.impossible < 0) return;
    const x = Math.round(view.x(view.ret[r.impossible])) + 0.5;
    if (x < GUTTER || x > GUTTER + view.width) return;
    c.strokeStyle = this.color.bad;
    c.setLineDash([2, 4]);
    c.lineWidth = 1;
    c.beginPath();
    c.moveTo(x, AXIS);
    c.lineTo(x, height);
    c.stroke();
    c.setLineDash([]);
    const bottom = view.y(view.lanes.length);
    if (bottom + 22 > height) return;
    c.font = PROSE;
    c.fillStyle = this.color.bad;
    c.textBaseline = "top";
    const text = "no order gets past this return";
    const size = c.measureText(text).width;
    c.fillText(text, x + size + 10 < GUTTER + view.width ? x + 6 : Math.max(x - size - 6, GUTTER + 4), bottom + 6);
  },

  drawNames(first, last, height) {
    const { context: c, view } = this;
    c.fillStyle = this.color.panel;
    c.fillRect(0, 0, GUTTER, height);
    c.fillStyle = this.color.line;
    c.fillRect(GUTTER - 1, 0, 1, height);
    c.font = PROSE;
    c.textBaseline = "middle";
    c.fillStyle = this.color.text;
    c.save();
    c.beginPath();
    c.rect(0, AXIS, GUTTER - 8, height);
    c.clip();
    for (let row = first; row < last; ++row) this.drawName(row, view.y(row) + view.laneHeight() / 2, row === first);
    c.restore();
  },

  // The process; over it its object, where one begins and where the first lane in sight is.
  drawName(row, middle, isFirst) {
    const { context: c, view } = this;
    const { lanes, processes, objects } = view.recording;
    const { process, object } = lanes[view.lanes[row].lane];
    const begins = object >= 0 && (row === 0 || lanes[view.lanes[row - 1].lane].object !== object);
    if (begins && row > 0) {
      c.fillStyle = this.color["strong-line"];
      c.fillRect(0, Math.round(view.y(row)) - 1, GUTTER, 1);
    }
    const isTitled = object >= 0 && (begins || isFirst);
    if (isTitled) {
      c.font = "600 " + PROSE;
      c.fillStyle = this.color.text;
      c.fillText(this.fitted(objects[object]), 16, middle - 8);
      c.font = PROSE;
    }
    c.fillStyle = object >= 0 ? this.color.soft : this.color.text;
    c.fillText(this.fitted(processes[process]), 16, isTitled ? middle + 7 : middle);
  },
  // Its beginning and its end, where there is no room for all of a name.
  fitted(name) {
    const room = GUTTER - 26;
    if (this.context.measureText(name).width <= room) return name;
    let letters = name.length - 1;
    const short = () => `${name.slice(0, Math.ceil(letters / 2))}…${name.slice(name.length - Math.floor(letters / 2))}`;
    while (letters > 2 && this.context.measureText(short()).width > room) --letters;
    return short();
  },

  ticks() {
    const { view } = this;
    const rough = 110 / view.scale;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
    const unit = view.axis === "order" ? Math.max(step, 1) : step;
    const ticks = [];
    for (let at = Math.max(0, Math.ceil(view.start / unit) * unit); at <= Math.min(view.length, view.positionAt(GUTTER + view.width)); at += unit) {
      ticks.push(at);
    }
    return ticks;
  },

  drawGrid(height) {
    const { context: c, view } = this;
    c.fillStyle = this.color.line;
    for (const at of this.ticks()) c.fillRect(Math.round(view.x(at)), AXIS, 1, height);
  },

  drawAxis(width) {
    const { context: c, view } = this;
    c.fillStyle = this.color.panel;
    c.fillRect(0, 0, width, AXIS);
    c.fillStyle = this.color.line;
    c.fillRect(0, AXIS - 1, width, 1);
    c.font = PROSE;
    c.fillStyle = this.color.soft;
    c.textBaseline = "middle";
    c.fillText(view.axis === "order" ? "event" : "time", 16, AXIS / 2);
    for (const at of this.ticks()) {
      const x = view.x(at);
      if (x > GUTTER - 2) c.fillText(Number(at.toPrecision(12)).toLocaleString("en"), x + 4, AXIS / 2);
    }
  },
});

// The strip above: how much goes on, where the core is, where the window is.
class Overview {
  constructor(canvas, view, painter, state) {
    Object.assign(this, { canvas, view, painter, state, context: canvas.getContext("2d") });
  }
  fitCanvas() {
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(this.canvas.clientWidth * ratio);
    this.canvas.height = Math.round(this.canvas.clientHeight * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.count();
  }
  // How many operations are called in each two pixels.
  count() {
    const { view } = this;
    this.density = new Uint32Array(Math.ceil(this.canvas.clientWidth / 2) + 1);
    for (const lane of view.lanes) for (const i of lane.operations) ++this.density[Math.floor(this.x(view.call[i]) / 2)];
    this.most = this.density.reduce((a, b) => Math.max(a, b), 1);
  }
  x(position) { return 8 + position / this.view.length * (this.canvas.clientWidth - 16); }
  positionAt(x) { return (x - 8) / (this.canvas.clientWidth - 16) * this.view.length; }
  draw() {
    const { context: c, view, painter } = this;
    const color = painter.color, height = this.canvas.clientHeight, width = this.canvas.clientWidth;
    const r = view.recording;
    c.clearRect(0, 0, width, height);
    c.fillStyle = color["strong-line"];
    this.density.forEach((n, k) => {
      if (n) c.fillRect(2 * k, height - 6 - (height - 16) * Math.sqrt(n / this.most), 2, (height - 16) * Math.sqrt(n / this.most));
    });
    if (r.order.length) {
      c.fillStyle = color.ink;
      c.fillRect(this.x(0), height - 4, this.x(view.point[r.order.length - 1]) - this.x(0), 2);
    }
    const mark = (i, paint, wide) => { c.fillStyle = paint; c.fillRect(this.x(view.call[i]) - wide / 2, 4, wide, height - 10); };
    for (const i of this.state.found.slice(0, 5000)) mark(i, color.found, 1.5);
    for (const i of r.coreList.slice(0, 5000)) mark(i, color.accent, 2);
    if (r.impossible >= 0) mark(r.impossible, color.bad, 3);
    const left = this.x(Math.max(view.start, 0));
    const right = this.x(Math.min(view.positionAt(GUTTER + view.width), view.length));
    c.strokeStyle = color.accent;
    c.lineWidth = 1.5;
    c.beginPath();
    c.roundRect(left, 2, Math.max(right - left, 6), height - 4, 4);
    c.stroke();
    c.globalAlpha = 0.1;
    c.fillStyle = color.accent;
    c.fill();
    c.globalAlpha = 1;
  }
}
