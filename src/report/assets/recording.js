// The report as the page uses it: columns become typed arrays, once; nothing is made for each operation but when it is
// looked at. An operation is its number.

const NONE = 0xffffffff;

// What could act on a page or mislead a reader is written out. (Texts only ever become text nodes or canvas text.)
function shown(text) {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

class Recording {
  constructor(data) {
    this.data = data;
    const columns = data.columns;
    this.size = data.operations;
    this.processOf = Uint32Array.from(columns.process);
    this.functionOf = Uint16Array.from(columns.function);
    this.processes = columns.processes.map((p) => (typeof p === "string" ? shown(p) : `process ${shown(JSON.stringify(p))}`));
    this.functions = columns.functions.map(shown);
    this.objects = (columns.objects ?? []).map(shown);
    this.readEvents(columns);
    this.readOrder(data.order);
    this.core = new Uint8Array(this.size);
    this.impossible = -1;
    this.coreList = [];
    this.named = [];   // what the sentence is about
    if (data.violation) {
      this.coreList = data.violation.operations;
      this.named = this.coreList.length <= 40 ? this.coreList : data.violation.named;
      for (const i of this.coreList) this.core[i] = 1;
      this.impossible = data.violation.impossible;
    }
    this.byCall = columns.events.filter((e) => e % 2 === 0).map((e) => e / 2);
    this.tokens = new Map();
    this.readLanes(columns);
  }

  // A lane per process; of several objects, each has lanes of its own, and the one that is violated comes first.
  readLanes(columns) {
    if (this.objects.length < 2) {
      this.lane = this.processOf;
      this.lanes = this.processes.map((_, process) => ({ process, object: -1 }));
      return;
    }
    const first = this.impossible < 0 ? -1 : columns.object[this.impossible];
    const pairs = new Map();
    for (let i = 0; i < this.size; ++i) {
      const pair = columns.object[i] * this.processes.length + this.processOf[i];
      if (!pairs.has(pair)) pairs.set(pair, { process: this.processOf[i], object: columns.object[i] });
    }
    const rank = (lane) => (lane.object === first ? -1 : lane.object);
    this.lanes = [...pairs.values()].sort((a, b) => rank(a) - rank(b) || a.process - b.process);
    const number = new Map(this.lanes.map((lane, k) => [lane.object * this.processes.length + lane.process, k]));
    this.lane = Uint32Array.from(this.processOf, (process, i) => number.get(columns.object[i] * this.processes.length + process));
  }

  // Ranks of calls and returns, and times since the first event.
  readEvents(columns) {
    const count = columns.events.length;
    this.events = count;
    this.callRank = new Float64Array(this.size);
    this.returnRank = new Float64Array(this.size).fill(Infinity);
    this.time = new Float64Array(count + 1);
    let now = 0;
    columns.events.forEach((event, rank) => {
      now += columns.passed[rank];
      this.time[rank] = now;
      (event % 2 ? this.returnRank : this.callRank)[event >> 1] = rank;
    });
    const span = count ? this.time[count - 1] : 0;
    this.time[count] = span + Math.max(span / Math.max(count, 1), Number.MIN_VALUE);
    this.hasTimes = span > 0 && columns.passed.some((passed, rank) => rank > 0 && passed !== 1);
  }

  // Points of the order: as many as take effect after the same event share the room before the next one.
  readOrder(order) {
    this.order = Uint32Array.from(order.operations);
    this.step = new Uint32Array(this.size).fill(NONE);
    this.point = new Float64Array(this.order.length);
    for (let first = 0; first < this.order.length;) {
      let last = first;
      while (last < this.order.length && order.slots[last] === order.slots[first]) ++last;
      for (let k = first; k < last; ++k) this.point[k] = order.slots[k] + (k - first + 1) / (last - first + 1);
      first = last;
    }
    this.order.forEach((operation, k) => { this.step[operation] = k; });
  }

  isPending(i) { return this.returnRank[i] === Infinity; }
  argumentsOf(i) { return this.data.columns.texts[this.data.columns.arguments[i]]; }
  resultOf(i) {
    const at = this.data.columns.result[i];
    return at < 0 ? null : this.data.columns.texts[at];
  }
  label(i) {
    const result = this.resultOf(i);
    const ending = this.isPending(i) ? " …" : result === null ? "" : " → " + result;
    return shown(`${this.data.columns.functions[this.functionOf[i]]}(${this.argumentsOf(i)})${ending}`);
  }
  keyOf(i) { return this.data.columns.key[i]; }
  objectOf(i) {
    const columns = this.data.columns;
    return columns.object ? shown(columns.objects[columns.object[i]]) : null;
  }
  // Each key, and each object, has a state of its own.
  isTogether(i, j) { return this.keyOf(i) === this.keyOf(j) && this.objectOf(i) === this.objectOf(j); }
  stateName(i) { return this.keyOf(i) >= 0 ? "key's state" : this.objectOf(i) !== null ? "object's state" : "state"; }
  stateAfter(step) {
    const { first_state: first, states } = this.data.order;
    return step >= first && step - first < states.length ? shown(states[step - first]) : null;
  }
  // The exact time of an event, whatever its size.
  exactTime(rank) { return (BigInt(this.data.columns.start) + BigInt(Math.round(this.time[rank]))).toString(); }

  // The position on the axis "time" of a rank, whole or not.
  timeAt(rank) {
    const before = Math.min(Math.max(Math.floor(rank), 0), this.events);
    const after = Math.min(before + 1, this.events);
    return this.time[before] + (rank - before) * (this.time[after] - this.time[before]);
  }

  // The values in a text of arguments or a result, as a person would type them.
  tokensOf(text) {
    let tokens = this.tokens.get(text);
    if (!tokens) {
      let values = [];
      try { values = JSON.parse(`[${text}]`); } catch { values = [text]; }
      tokens = values.flatMap((v) => Array.isArray(v) ? [v, ...v] : [v])
        .flatMap((v) => typeof v === "string" ? [v, JSON.stringify(v)] : [JSON.stringify(v)]);
      this.tokens.set(text, tokens);
    }
    return tokens;
  }
  hasValue(i, value) {
    const result = this.resultOf(i);
    return this.tokensOf(this.argumentsOf(i)).includes(value) ||
      (result !== null && this.tokensOf(result).includes(value));
  }

  // Operations, by call, that a search means: "#12" is a number, anything else a part of what is written on them.
  find(text) {
    const number = /^#(\d+)$/.exec(text);
    if (number) return Number(number[1]) < this.size ? [Number(number[1])] : [];
    const wanted = text.toLowerCase();
    return this.byCall.filter((i) => this.label(i).toLowerCase().includes(wanted));
  }
}
