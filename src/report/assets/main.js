// Puts the page together, and what a person does into effect.

class App {
  constructor(data) {
    this.recording = new Recording(data);
    this.state = { selected: -1, hovered: -1, found: [], foundAt: -1, path: true };
    const dark = matchMedia("(prefers-color-scheme: dark)");
    document.documentElement.dataset.theme = dark.matches ? "dark" : "light";
    byId("app").hidden = false;
    fillHead(this.recording);
    this.view = new View(this.recording);
    this.canvas = byId("timeline");
    this.painter = new Painter(this.canvas, this.view, this.state);
    this.overview = new Overview(byId("overview"), this.view, this.painter, this.state);
    this.details = new Details(this.recording);
    this.steps = new Steps(this.recording, (i) => this.goTo(i));
    this.tip = new Tip(this.recording);
    dark.addEventListener("change", () => this.setTheme(dark.matches ? "dark" : "light"));
    this.fillFilters();
    this.legend = new Legend(this.recording, this.painter, (kind) => this.filter({ function: kind }));
    new ResizeObserver(() => this.resize()).observe(byId("stage"));
    this.resize();
    this.open();
  }

  // At the violation, with all that the sentence names; without one, at the beginning, or all of it if that can be read.
  open() {
    const r = this.recording;
    if (r.events <= 60) this.view.fit();
    if (r.impossible >= 0) {
      if (r.events > 60) this.view.showOperations(r.named);
      if (!r.named.every((i) => this.view.sees(i))) this.setCoreOnly(true);
      return this.select(r.impossible);
    }
    if (r.events > 120) this.view.showRange(0, this.view.axis === "order" ? 80 : r.time[80]);
    this.select(-1);
  }

  resize() {
    this.painter.fitCanvas();
    this.overview.fitCanvas();
    this.steps.draw();
    this.redraw();
  }
  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      const begun = performance.now();
      this.painter.draw();
      this.overview.draw();
      this.lastDraw = performance.now() - begun;
    });
  }

  select(i) {
    this.state.selected = i;
    this.details.show(i);
    this.steps.show(i);
    this.redraw();
  }
  goTo(i) {
    if (!this.view.shows(i)) this.clearFilters();
    this.view.showOperation(i);
    this.select(i);
  }
  // What the sentence names, if it can be read at a glance; else, or once more, the impossible operation itself.
  jump() {
    const { recording: r, view } = this;
    if (r.impossible < 0) return;
    if (!view.shows(r.impossible)) this.clearFilters();
    view.showOperation(r.impossible);
    const { from, to } = view.rangeOf(r.named);
    if (view.rankAt(to) - view.rankAt(from) <= 120) view.showRange(from, to);
    this.select(r.impossible);
  }
  stepBy(by) {
    const at = this.steps.now < 0 ? (by > 0 ? 0 : this.steps.length() - 1) : this.steps.now + by;
    if (at >= 0 && at < this.steps.length()) this.goTo(this.steps.operation(at));
  }

  search(text) {
    this.state.found = text.trim() ? this.recording.find(text.trim()) : [];
    this.state.foundAt = -1;
    byId("found").parentElement.classList.toggle("any", this.state.found.length > 0);
    byId("found").textContent = !text.trim() ? "" : this.state.found.length ? `${this.state.found.length.toLocaleString("en")} found` : "none";
    this.redraw();
  }
  // The first of them is the first at or after what is in sight.
  searchNext(by) {
    const { found } = this.state;
    if (!found.length) return;
    if (this.state.foundAt < 0) {
      const next = found.findIndex((i) => this.view.call[i] >= this.view.start);
      this.state.foundAt = by > 0 ? Math.max(next, 0) : (next <= 0 ? found.length : next) - 1;
    } else {
      this.state.foundAt = (this.state.foundAt + by + found.length) % found.length;
    }
    byId("found").textContent = `${this.state.foundAt + 1} of ${found.length.toLocaleString("en")}`;
    this.goTo(found[this.state.foundAt]);
  }

  fillFilters() {
    const fill = (id, name, items) => {
      byId(id).append(new Option(`every ${name}`, -1), ...items.slice(0, 2000).map((item, k) => new Option(item, k)));
      byId(id).hidden = items.length < 2;
    };
    fill("by-process", "process", this.recording.processes);
    fill("by-object", "object", this.recording.objects.map((object) => `object ${object}`));
    fill("by-key", "key", this.recording.data.columns.keys.map((key) => `key ${shown(key)}`));
  }
  filter(change) {
    Object.assign(this.view.filter, change);
    this.view.applyFilter();
    this.overview.count();
    this.redraw();
  }
  clearFilters() {
    byId("by-process").value = byId("by-object").value = byId("by-key").value = -1;
    byId("by-value").value = "";
    byId("core-only").checked = false;
    this.legend.choose(-1);
    this.filter(NO_FILTER);
  }
  // The core takes the room that there is, and all of it has come back where everything is shown again.
  setCoreOnly(wanted) {
    const { recording: r, view } = this;
    byId("core-only").checked = wanted;
    this.filter({ core: wanted });
    if (wanted) view.showOperations(r.coreList);
    else this.jump();
    this.redraw();
  }

  setAxis(axis) {
    this.view.setAxis(axis);
    byId("axis-order").setAttribute("aria-checked", axis === "order");
    byId("axis-time").setAttribute("aria-checked", axis === "time");
    this.overview.count();
    this.redraw();
  }
  setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    this.painter.readTheme();
    this.legend.paint();
    this.redraw();
  }
  toggleTheme() { this.setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"); }
  setPath(wanted) {
    this.state.path = byId("path").checked = wanted;
    this.redraw();
  }
  zoom(factor, x) {
    this.view.zoom(factor, x);
    this.redraw();
  }
  pan(dx, dy) {
    this.view.pan(dx, dy);
    this.redraw();
  }
  fit() {
    this.view.fit();
    this.redraw();
  }

  // The operation at a place of the canvas, and how many share it; {i: -1} where there is none.
  at(x, y) {
    const { view } = this;
    const row = view.rowAt(y);
    if (row < 0 || x < GUTTER) return { i: -1, many: 0 };
    const { operations } = view.lanes[row];
    const first = view.firstEndingAfter(operations, view.positionAt(x - 3));
    let many = 0;
    const last = view.positionAt(x + 3);
    while (first + many < operations.length && many < 1000 && view.call[operations[first + many]] <= last) ++many;
    return { i: many ? operations[first] : -1, many };
  }
}

const app = new App(JSON.parse(byId("data").textContent));
window.plumbReport = app;
connectControls(app);
