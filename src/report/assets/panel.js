// What stands in words: the head, the details of an operation, the steps of the order, the tip under the pointer.
// Everything is made of text nodes: what a history holds is never taken for markup.

const STEP = 44;   // pixels a row, as in the style sheet

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made[key] = value;
  made.append(...children);
  return made;
}
const byId = (id) => document.getElementById(id);
const count = (n, thing) => `${n.toLocaleString("en")} ${thing}${n === 1 ? "" : thing.endsWith("s") ? "es" : "s"}`;

// A sentence in which `…` is code.
function sentenceNodes(text) {
  return shown(text).split("`").map((piece, k) => (k % 2 ? element("code", {}, piece) : piece));
}

function fillHead(recording) {
  const { data } = recording;
  const marks = { violation: "✗ violation", linearizable: "✓ linearizable", unknown: "? unknown" };
  byId("verdict").textContent = marks[data.verdict];
  byId("verdict").classList.add(data.verdict);
  const name = data.name ? ` (${shown(data.name)})` : "";
  // Of a name that is too long its end is what tells files apart.
  const file = shown(data.file.split("/").pop() || "history") + name;
  byId("file").append(element("span", { textContent: file.slice(0, -18) }), element("span", { textContent: file.slice(-18) }));
  byId("file").title = shown(data.file) + name;
  const core = recording.coreList.length ? ` · core of ${count(recording.coreList.length, "operation")}` : "";
  byId("facts").textContent = `${shown(data.model)} · ${count(data.operations, "operation")} · ` +
    `${count(data.processes, "process")}${core} · ${data.engine}: ${shown(data.why)}`;
  byId("facts").title = byId("facts").textContent;
  byId("sentence").append(...sentenceNodes(data.sentence));
  if (recording.impossible < 0) byId("jump").hidden = true;
  if (!recording.coreList.length) byId("core-only").closest("label").hidden = true;
}

// Which colour is which kind of operation; a click shows only that kind.
class Legend {
  constructor(recording, painter, filter) {
    this.painter = painter;
    this.items = recording.functions.map((name, kind) => {
      const swatch = element("i");
      const item = element("button", { className: "kind", title: `only ${name}` }, swatch, name);
      item.addEventListener("click", () => filter(this.choose(this.chosen === kind ? -1 : kind)));
      return { item, swatch };
    });
    const marks = [];
    if (recording.coreList.length) marks.push(["core", "of the core"], ["bad", "impossible"]);
    if (recording.byCall.some((i) => recording.isPending(i))) marks.push(["open", "never returned"]);
    if (recording.order.length) marks.push(["point", "takes effect"]);
    byId("legend").append(...this.items.map(({ item }) => item),
      ...marks.map(([name, text]) => element("span", { className: "mark" }, element("i", { className: name }), text)));
    this.choose(-1);
    this.paint();
  }
  paint() {
    this.items.forEach(({ swatch }, kind) => {
      const { fill, edge } = this.painter.functionColors[kind];
      swatch.style.background = fill;
      swatch.style.borderColor = edge;
    });
  }
  choose(kind) {
    this.chosen = kind;
    this.items.forEach(({ item }, k) => item.setAttribute("aria-pressed", k === kind));
    return kind;
  }
}

class Details {
  constructor(recording) {
    this.recording = recording;
    this.root = byId("details");
  }
  show(i) {
    const r = this.recording;
    this.root.replaceChildren();
    if (i < 0) {
      this.root.append(element("p", { className: "soft", textContent: r.size ? "Click an operation for its details." : "The history is empty." }));
      return;
    }
    this.root.append(element("h2", { textContent: r.label(i) }));
    if (i === r.impossible) this.root.append(element("p", { className: "bad", textContent: "✗ This result is impossible." }));
    else if (r.core[i]) this.root.append(element("p", { className: "core", textContent: "Part of the core: it takes part in the proof." }));
    const list = element("dl", { className: "facts" });
    for (const [name, value] of this.facts(i)) list.append(element("dt", { textContent: name }), element("dd", { textContent: value }));
    this.root.append(list);
  }
  facts(i) {
    const r = this.recording, columns = r.data.columns;
    const facts = [["number", `#${i}`], ["by", r.processes[r.processOf[i]]]];
    if (columns.line[i]) facts.push(["line", String(columns.line[i])]);
    if (r.keyOf(i) >= 0) facts.push(["key", shown(columns.keys[r.keyOf(i)])]);
    if (r.objectOf(i) !== null) facts.push(["object", r.objectOf(i)]);
    facts.push(["called", `${r.exactTime(r.callRank[i])} (event ${r.callRank[i]})`]);
    facts.push(["returned", r.isPending(i) ? "never" : `${r.exactTime(r.returnRank[i])} (event ${r.returnRank[i]})`]);
    const step = r.step[i];
    if (step !== NONE) {
      facts.push(["takes effect", `as number ${step + 1} of ${r.order.length}`]);
      if (r.data.order.legal && r.data.order.legal[step] !== i) {
        facts.push(["legal history", `has ${r.label(r.data.order.legal[step])} here`]);
      }
      facts.push([`${r.stateName(i)} after`, r.stateAfter(step) ?? "not kept: the order is long"]);
    } else if (i === r.impossible) {
      const { allowed, allowed_complete: complete } = r.data.violation;
      const list = allowed.map((value) => shown(JSON.stringify(value)));
      facts.push([r.data.order.of_core ? "allowed" : "allowed after the core", list.length ? list.join(" or ") + (complete ? "" : " or others") : complete ? "nothing" : "not looked for"]);
      const before = r.order.findLastIndex((other) => r.isTogether(i, other));
      if (before >= 0) facts.push([`${r.stateName(i)} before`, r.stateAfter(before) ?? "not kept"]);
    } else {
      facts.push(["takes effect", r.impossible >= 0 ? "not in the order found" : r.isPending(i) ? "never" : "unknown"]);
    }
    return facts;
  }
}

// A list of any length: only the rows in sight are there.
class Steps {
  constructor(recording, choose) {
    this.recording = recording;
    this.choose = choose;
    this.list = byId("steps-list");
    this.rows = byId("steps-rows");
    this.now = -1;
    const r = recording;
    this.extra = r.impossible >= 0 ? 1 : 0;   // the impossible one, at the end
    const kind = r.data.order.of_core ? "Order of the core" : "Longest order found";
    const title = r.impossible >= 0 ? `${kind}: ${count(r.order.length, "step")}` : `Order of effects: ${count(r.order.length, "step")}`;
    byId("steps-title").textContent = r.order.length + this.extra ? title : "There is no order to show";
    this.rows.style.height = `${(r.order.length + this.extra) * STEP}px`;
    this.list.addEventListener("scroll", () => this.draw(), { passive: true });
  }
  operation(k) { return k < this.recording.order.length ? this.recording.order[k] : this.recording.impossible; }
  length() { return this.recording.order.length + this.extra; }
  draw() {
    const first = Math.max(0, Math.floor(this.list.scrollTop / STEP) - 2);
    const last = Math.min(this.length(), first + Math.ceil(this.list.clientHeight / STEP) + 4);
    const made = [];
    for (let k = first; k < last; ++k) made.push(this.row(k));
    this.rows.replaceChildren(...made);
  }
  row(k) {
    const r = this.recording, i = this.operation(k), bad = i === r.impossible;
    const state = bad ? "impossible here" : r.stateAfter(k) ?? "";
    const row = element("div", { className: "step", title: state },
      element("span", { className: "number", textContent: bad ? "✗" : String(k + 1) }),
      element("span", { className: "name code", textContent: r.label(i) }),
      element("span", { className: "state code", textContent: state }));
    row.classList.toggle("now", k === this.now);
    row.classList.toggle("core", r.core[i] === 1);
    row.classList.toggle("bad", bad);
    row.style.top = `${k * STEP}px`;
    row.addEventListener("click", () => this.choose(i));
    return row;
  }
  show(i) {
    const r = this.recording;
    this.now = i < 0 ? -1 : i === r.impossible ? r.order.length : r.step[i] === NONE ? -1 : r.step[i];
    if (this.now >= 0) {
      const top = this.now * STEP;
      if (top < this.list.scrollTop || top + STEP > this.list.scrollTop + this.list.clientHeight) {
        this.list.scrollTop = top - this.list.clientHeight / 2;
      }
    }
    this.draw();
  }
}

class Tip {
  constructor(recording) {
    this.recording = recording;
    this.root = byId("tip");
  }
  hide() { this.root.hidden = true; }
  show(i, x, y, many) {
    const r = this.recording;
    this.root.replaceChildren(element("div", { className: "code", textContent: r.label(i) }));
    const step = r.step[i] === NONE ? "" : ` · step ${r.step[i] + 1}`;
    const object = r.objects.length > 1 ? ` · object ${r.objectOf(i)}` : "";
    this.root.append(element("div", { className: "note", textContent: `#${i} · ${r.processes[r.processOf[i]]}${object}${step}` }));
    const state = r.step[i] === NONE ? null : r.stateAfter(r.step[i]);
    if (state !== null) this.root.append(element("div", { className: "note code", textContent: state.length > 160 ? state.slice(0, 160) + "…" : state }));
    if (i === r.impossible) this.root.append(element("div", { className: "bad", textContent: "impossible" }));
    if (many > 1) this.root.append(element("div", { className: "note", textContent: `and ${count(many - 1, "other")} in this place; zoom in` }));
    this.root.hidden = false;
    const stage = this.root.parentElement;
    this.root.style.left = `${Math.min(x + 14, stage.clientWidth - this.root.offsetWidth - 8)}px`;
    const below = y + 58 + this.root.offsetHeight < stage.clientHeight;
    this.root.style.top = `${below ? y + 56 : y + 28 - this.root.offsetHeight}px`;
  }
}
