// The page of a test: steps through the interleaving, and shows the source and the values at each step. Everything else on the page is
// there without this.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  root.dataset.theme = dark.matches ? "dark" : "light";
  byId("theme").addEventListener("click", () => { root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark"; });

  const element = (name, className, text) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  for (const button of document.querySelectorAll(".copy")) {
    button.addEventListener("click", async () => {
      const code = button.parentElement.querySelector("code");
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch {  // a page from a file may not: then it is selected, to be copied by hand
        getSelection().selectAllChildren(code);
        button.textContent = "Selected";
      }
    });
  }

  const table = byId("lanes");
  if (!table) return;
  const rows = [...table.querySelectorAll("tr[data-step]")];
  const { steps, sources } = data;
  const around = 6;
  let at = -1;
  let stepped = false;  // by the reader

  // The lines around a place, with that one marked.
  const excerpt = (place) => {
    const source = sources.find((each) => each.file === place.file && place.line >= each.first &&
                                place.line < each.first + each.lines.length);
    if (!source) return null;
    const shown = element("pre", "source");
    const near = source.lines.filter((text, i) => text.trim() && Math.abs(source.first + i - place.line) <= around);
    const indent = Math.min(...near.map((text) => text.search(/\S/)));  // of all: it would only take room
    source.lines.forEach((text, i) => {
      const number = source.first + i;
      if (Math.abs(number - place.line) > around) return;
      const line = element("span", number === place.line ? "line here" : "line");
      line.append(element("span", "number", number), text.slice(indent));
      shown.append(line);
    });
    return shown;
  };

  // What each variable has after the step: of those that the threads have come to.
  const valuesAfter = (last) => {
    const values = new Map();
    for (let i = 0; i <= last; ++i) {
      const { object, seen, left, thread } = steps[i];
      if (!seen && !left) continue;
      const known = values.get(object);
      if (left) values.set(object, { value: left, by: `step ${i + 1}, thread ${thread}`, changed: i === last });
      else if (!known) values.set(object, { value: seen, by: "from before", changed: false });
    }
    return values;
  };

  const showWhere = (step) => {
    const where = byId("where");
    where.replaceChildren();
    const [inner, ...outer] = step.places;
    if (!inner) return;
    const at = element("p", "place", `${inner.file.split("/").pop()}:${inner.line} ${inner.function}`);
    at.title = inner.file;
    where.append(at);
    const lines = excerpt(inner);
    if (lines) where.append(lines);
    if (outer.length) {
      const from = outer.map((place) => `${place.file.split("/").pop()}:${place.line}`).join(" < ");
      where.append(element("p", "place", `called at ${from}`));
    }
  };

  const showValues = () => {
    byId("values").replaceChildren(...[...valuesAfter(at)].map(([object, known]) => {
      const row = element("tr", known.changed ? "changed" : "");
      row.append(element("td", "", object), element("td", "", known.value), element("td", "by", known.by));
      return row;
    }));
  };

  // The same step in the graph, with its lines.
  const drawing = document.querySelector("#graph .drawing");
  const together = drawing ? [...drawing.querySelectorAll(".several")] : [];  // steps of a long execution
  const markNode = () => {
    if (!drawing) return;
    for (const marked of drawing.querySelectorAll(".at")) marked.classList.remove("at");
    for (const line of drawing.querySelectorAll(`[data-from="${at}"], [data-to="${at}"]`)) line.classList.add("at");
    const node = drawing.querySelector(`[data-node="${at}"]`) || together.find(({ dataset }) =>
      Number(dataset.node) < at && at <= Number(dataset.last) && Number(dataset.thread) === steps[at].thread);
    node.classList.add("at");
    if (!stepped) return;  // a page opens at its beginning
    const [shown, frame] = [node.getBoundingClientRect(), drawing.getBoundingClientRect()];
    if (shown.top < frame.top || shown.bottom > frame.bottom) drawing.scrollTop += shown.top - frame.top - drawing.clientHeight / 3;
    if (shown.left < frame.left || shown.right > frame.right) drawing.scrollLeft += shown.left - frame.left - 10;
  };
  const showView = (name) => {
    byId("graph").classList.toggle("away", name !== "graph");
    table.parentElement.classList.toggle("away", name === "graph");
    for (const button of byId("views").children) button.setAttribute("aria-checked", button.dataset.view === name);
    if (at >= 0) select(at);
  };

  const select = (next) => {
    const to = Math.max(0, Math.min(rows.length - 1, next));
    if (at >= 0) rows[at].classList.remove("at");
    at = to;
    rows[at].classList.add("at");
    // Only the lanes scroll: the page stays where the reader has put it.
    const lanes = table.parentElement;
    const head = table.tHead.offsetHeight;
    const { offsetTop, offsetHeight } = rows[at];
    if (offsetTop - head < lanes.scrollTop) lanes.scrollTop = offsetTop - head;
    if (offsetTop + offsetHeight > lanes.scrollTop + lanes.clientHeight) lanes.scrollTop = offsetTop + offsetHeight - lanes.clientHeight;
    markNode();
    const step = steps[at];
    byId("at").textContent = `Step ${at + 1} of ${steps.length}, ${step.thread === 0 ? "the test" : `thread ${step.thread}`}`;
    byId("did").textContent = step.what;
    byId("note").textContent = step.note;
    showWhere(step);
    showValues();
  };
  const change = (direction) => {
    let next = at + direction;
    while (steps[next] && steps[next].thread === steps[at].thread) next += direction;
    select(next);
  };

  const keys = {
    ArrowDown: () => select(at + 1), j: () => select(at + 1), ArrowUp: () => select(at - 1), k: () => select(at - 1),
    Home: () => select(0), End: () => select(rows.length - 1), n: () => change(1), p: () => change(-1),
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  rows.forEach((row, i) => row.addEventListener("click", (event) => { if (!event.target.closest("a")) select(i); }));
  byId("panel").hidden = false;
  if (drawing) {
    byId("views").hidden = false;
    for (const button of byId("views").children) button.addEventListener("click", () => showView(button.dataset.view));
    for (const node of drawing.querySelectorAll("[data-node]")) node.addEventListener("click", () => select(Number(node.dataset.node)));
    showView("graph");
  }
  const last = steps.findLastIndex((step) => step.places.length > 0);
  select(last < 0 ? rows.length - 1 : last);
  stepped = true;
  window.plumbTest = { get at() { return at; }, steps };
})();
