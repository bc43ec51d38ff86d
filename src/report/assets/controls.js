// Pointer, keys and buttons.

function connectPointer(app) {
  const { canvas } = app;
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    drag = { x: event.offsetX, y: event.offsetY, moved: 0 };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (drag) {
      const dx = event.offsetX - drag.x, dy = event.offsetY - drag.y;
      drag = { x: event.offsetX, y: event.offsetY, moved: drag.moved + Math.abs(dx) + Math.abs(dy) };
      canvas.classList.toggle("dragging", drag.moved > 4);
      if (drag.moved > 4) { app.tip.hide(); app.pan(dx, dy); }
      return;
    }
    const { i, many } = app.at(event.offsetX, event.offsetY);
    canvas.classList.toggle("over", i >= 0);
    if (i >= 0) app.tip.show(i, event.offsetX, event.offsetY, many); else app.tip.hide();
    if (i !== app.state.hovered) { app.state.hovered = i; app.redraw(); }
  });
  canvas.addEventListener("pointerup", (event) => {
    if (drag && drag.moved <= 4) app.select(app.at(event.offsetX, event.offsetY).i);
    drag = null;
    canvas.classList.remove("dragging");
  });
  canvas.addEventListener("pointercancel", () => { drag = null; });
  canvas.addEventListener("pointerleave", () => { app.tip.hide(); app.state.hovered = -1; app.redraw(); });
  canvas.addEventListener("dblclick", (event) => app.zoom(2.5, event.offsetX));
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    app.tip.hide();
    if (event.shiftKey) app.pan(-event.deltaY - event.deltaX, 0);
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) app.pan(-event.deltaX, 0);
    else app.zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0016)), Math.max(event.offsetX, GUTTER));
  }, { passive: false });

  const overview = byId("overview");
  const move = (event) => {
    const { view } = app;
    view.start = app.overview.positionAt(event.offsetX) - view.width / 2 / view.scale;
    view.clamp();
    app.redraw();
  };
  overview.addEventListener("pointerdown", (event) => { overview.setPointerCapture(event.pointerId); move(event); });
  overview.addEventListener("pointermove", (event) => { if (event.buttons) move(event); });
}

function connectButtons(app) {
  const on = (id, type, act) => byId(id).addEventListener(type, act);
  on("theme", "click", () => app.toggleTheme());
  on("help-button", "click", () => byId("help").showModal());
  on("search", "input", (event) => app.search(event.target.value));
  on("search", "keydown", (event) => { if (event.key === "Enter") app.searchNext(event.shiftKey ? -1 : 1); });
  on("found-before", "click", () => app.searchNext(-1));
  on("found-next", "click", () => app.searchNext(1));
  on("by-process", "change", (event) => app.filter({ process: Number(event.target.value) }));
  on("by-object", "change", (event) => app.filter({ object: Number(event.target.value) }));
  on("by-key", "change", (event) => app.filter({ key: Number(event.target.value) }));
  on("by-value", "input", (event) => app.filter({ value: event.target.value.trim() }));
  on("core-only", "change", (event) => app.setCoreOnly(event.target.checked));
  on("axis-order", "click", () => app.setAxis("order"));
  on("axis-time", "click", () => app.setAxis("time"));
  on("path", "change", (event) => app.setPath(event.target.checked));
  on("zoom-in", "click", () => app.zoom(1.6));
  on("zoom-out", "click", () => app.zoom(1 / 1.6));
  on("fit", "click", () => app.fit());
  on("jump", "click", () => app.jump());
  byId("axis-time").disabled = !app.recording.hasTimes;
  app.setAxis("order");
}

function connectKeys(app) {
  const toggleCore = () => {
    if (app.recording.coreList.length) app.setCoreOnly(!byId("core-only").checked);
  };
  const clear = () => {
    byId("search").value = "";
    app.search("");
    app.clearFilters();
    app.select(-1);
  };
  const keys = {
    v: () => app.jump(), "+": () => app.zoom(1.6), "=": () => app.zoom(1.6), "-": () => app.zoom(1 / 1.6),
    ArrowLeft: () => app.pan(80, 0), ArrowRight: () => app.pan(-80, 0), ArrowUp: () => app.pan(0, 48), ArrowDown: () => app.pan(0, -48),
    0: () => app.fit(), "[": () => app.stepBy(-1), "]": () => app.stepBy(1), "/": () => byId("search").focus(), c: toggleCore,
    o: () => app.setPath(!app.state.path), d: () => app.toggleTheme(), "?": () => byId("help").showModal(), Escape: clear,
    t: () => { if (app.recording.hasTimes) app.setAxis(app.view.axis === "order" ? "time" : "order"); },
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
    const typing = event.target.matches("input:not([type=checkbox]), select");
    if (typing) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (event.target === byId("steps-list") && event.key.startsWith("Arrow")) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

function connectControls(app) {
  connectPointer(app);
  connectButtons(app);
  connectKeys(app);
}
