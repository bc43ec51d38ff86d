// Which part of the recording the canvas shows: an axis, a place on it, a scale; and which operations pass the filters.

const NO_FILTER = { process: -1, object: -1, key: -1, function: -1, value: "", core: false };

class View {
  constructor(recording) {
    this.recording = recording;
    this.axis = "order";
    this.start = 0;   // the position on the axis at the left edge
    this.scale = 1;   // pixels a unit of the axis
    this.top = 0;     // pixels scrolled down
    this.width = 100;
    this.height = 100;
    this.filter = { ...NO_FILTER };
    this.applyFilter();
    this.setAxis("order");
  }

  // Positions of all ends and points on the present axis. A pending operation ends nowhere.
  setAxis(axis) {
    const r = this.recording;
    const middle = this.length ? this.rankAt(this.start + this.width / 2 / this.scale) : 0;
    const shownPart = this.length ? this.width / this.scale / this.length : 1;
    this.axis = axis;
    const place = axis === "time" ? (rank) => (rank === Infinity ? Infinity : r.timeAt(rank)) : (rank) => rank;
    this.call = r.callRank.map(place);
    this.ret = r.returnRank.map(place);
    this.point = r.point.map(place);
    this.length = Math.max(place(r.events), Number.MIN_VALUE);
    this.scale = this.width / (this.length * shownPart);
    this.clampScale();
    this.start = place(Math.min(Math.max(middle, 0), r.events)) - this.width / 2 / this.scale;
    this.clamp();
  }

  rankAt(position) {
    if (this.axis === "order") return position;
    const time = this.recording.time;
    let low = 0, high = this.recording.events;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (time[middle] < position) low = middle + 1; else high = middle;
    }
    return low;
  }

  // The operations that are shown, lane by lane, by call. Lanes with none go.
  applyFilter() {
    const r = this.recording, f = this.filter;
    const lanes = r.lanes.map(() => []);
    for (const i of r.byCall) {
      if (f.process >= 0 && r.processOf[i] !== f.process) continue;
      if (f.object >= 0 && r.lanes[r.lane[i]].object !== f.object) continue;
      if (f.function >= 0 && r.functionOf[i] !== f.function) continue;
      if (f.key >= 0 && r.keyOf(i) !== f.key) continue;
      if (f.core && !r.core[i]) continue;
      if (f.value && !r.hasValue(i, f.value)) continue;
      lanes[r.lane[i]].push(i);
    }
    this.isFiltered = Object.keys(f).some((name) => f[name] !== NO_FILTER[name]);
    this.lanes = lanes.map((operations, lane) => ({ lane, operations: Uint32Array.from(operations) }));
    if (this.isFiltered) this.lanes = this.lanes.filter((l) => l.operations.length > 0);
    this.row = new Int32Array(r.lanes.length).fill(-1);
    this.lanes.forEach((l, row) => { this.row[l.lane] = row; });
    this.count = this.lanes.reduce((sum, l) => sum + l.operations.length, 0);
    this.clamp();
  }
  shows(i) {
    const row = this.row[this.recording.lane[i]];
    if (row < 0) return false;
    if (!this.isFiltered) return true;
    const { operations } = this.lanes[row];
    const at = this.firstEndingAfter(operations, this.call[i] - 1e-9);
    for (let k = at; k < operations.length && this.call[operations[k]] <= this.call[i]; ++k) {
      if (operations[k] === i) return true;
    }
    return false;
  }

  // Operations of a lane follow one another: the first whose return is at or after a position.
  firstEndingAfter(operations, position) {
    let low = 0, high = operations.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.ret[operations[middle]] < position) low = middle + 1; else high = middle;
    }
    return low;
  }
  firstPointAfter(position) {
    let low = 0, high = this.point.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.point[middle] < position) low = middle + 1; else high = middle;
    }
    return low;
  }

  x(position) { return GUTTER + (position - this.start) * this.scale; }
  positionAt(x) { return this.start + (x - GUTTER) / this.scale; }
  // As high as there is room for, within reason.
  laneHeight() { return Math.min(Math.max(Math.floor((this.height - AXIS - 60) / Math.max(this.lanes.length, 1)), 32), 60); }
  y(row) { return AXIS + row * this.laneHeight() - this.top; }
  rowAt(y) {
    const row = Math.floor((y - AXIS + this.top) / this.laneHeight());
    return y >= AXIS && row >= 0 && row < this.lanes.length ? row : -1;
  }

  resize(width, height) {
    const part = this.width;
    this.width = Math.max(width - GUTTER, 10);
    this.height = height;
    if (part === 100) this.fit();
    this.clampScale();
    this.clamp();
  }
  // Recorded times come in bursts: there, one must be able to look closer than the average event asks for.
  unevenness() { return this.axis === "time" ? 1000 : 1; }
  clampScale() {
    const least = this.width / (this.length * 1.04);
    const typical = this.length / Math.max(this.recording.events, 1);   // one event, on average
    this.scale = Math.min(Math.max(this.scale, least), Math.max(400 * this.unevenness() / typical, least));
  }
  clamp() {
    const slack = this.width / this.scale * 0.5;
    this.start = Math.min(Math.max(this.start, -slack), Math.max(this.length - slack, -slack));
    if (this.width / this.scale >= this.length) this.start = (this.length - this.width / this.scale) / 2;
    const most = Math.max(0, this.lanes.length * this.laneHeight() + AXIS + 24 - this.height);
    this.top = Math.min(Math.max(this.top, 0), most);
  }
  zoom(factor, x = GUTTER + this.width / 2) {
    const held = this.positionAt(x);
    this.scale *= factor;
    this.clampScale();
    this.start = held - (x - GUTTER) / this.scale;
    this.clamp();
  }
  pan(dx, dy) {
    this.start -= dx / this.scale;
    this.top -= dy;
    this.clamp();
  }
  fit() {
    this.scale = this.width / (this.length * 1.04);
    this.start = -this.length * 0.02;
    this.clamp();
  }
  // No empty room before the history or behind it, where there is something to show instead.
  fill() {
    const unit = this.length / Math.max(this.recording.events, 1);
    this.start = Math.max(Math.min(this.start, this.length + unit - this.width / this.scale), -unit);
  }
  // From one position to another, with room around them.
  showRange(from, to) {
    const room = Math.max((to - from) * 0.15, this.length / Math.max(this.recording.events, 1));
    this.scale = this.width / (to - from + 2 * room);
    this.clampScale();
    this.start = (from + to) / 2 - this.width / 2 / this.scale;
    this.fill();
    this.clamp();
  }
  rangeOf(operations) {
    const some = operations.slice(0, 5000);
    const end = (i) => (this.ret[i] === Infinity ? this.length : this.ret[i]);
    return { from: Math.min(...some.map((i) => this.call[i])), to: Math.max(...some.map(end)) };
  }
  // All of these, as large as they can be; from the top if their lanes are more than fit.
  showOperations(operations) {
    const { from, to } = this.rangeOf(operations);
    const unit = this.length / Math.max(this.recording.events, 1);
    const around = Math.max(0, Math.min(24 * unit, this.length) - (to - from)) / 2;   // what alone is large needs no room, but neighbours
    this.showRange(from - around, to + around);
    const rows = operations.slice(0, 5000).map((i) => this.row[this.recording.lane[i]]).filter((row) => row >= 0);
    this.top = Math.min(...rows) * this.laneHeight();
    this.clamp();
  }
  // Whether it is on the screen, not only in the history.
  sees(i) {
    if (!this.shows(i)) return false;
    const top = this.y(this.row[this.recording.lane[i]]);
    const end = Math.min(this.ret[i], this.length);
    return top >= AXIS && top + this.laneHeight() <= this.height && this.call[i] >= this.start && end <= this.start + this.width / this.scale;
  }
  // An operation in the middle, large enough to read, everything else as it was.
  showOperation(i) {
    const end = this.ret[i] === Infinity ? this.length : this.ret[i];
    const unit = this.length / Math.max(this.recording.events, 1);
    const wanted = Math.min(90 / Math.max(end - this.call[i], unit / 4), 30 * this.unevenness() / unit);
    if (this.scale < wanted) this.scale = wanted;
    this.clampScale();
    this.start = Math.min((this.call[i] + end) / 2, this.call[i] + this.width / 3 / this.scale) - this.width / 2 / this.scale;
    this.fill();
    const row = this.row[this.recording.lane[i]];
    if (row >= 0) this.top = row * this.laneHeight() - (this.height - AXIS) / 2;
    this.clamp();
  }
}
