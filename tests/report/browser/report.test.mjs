// What a person does with the page.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close, colours, generated, keep, looking, open, pixel, reported, settled, written } from "./harness.mjs";

after(close);

const operation = (process, f, args, result, call, ret) => ({ process, f, args, result, call, return: ret });
const example = new URL("../../../examples/histories/", import.meta.url).pathname;
const small = reported("small", `${example}queue-violation.jsonl`);
const medium = generated("medium", "-m", "map", "-n", "1000", "-p", "6", "--seed", "3", "--spoil", "--overlap", "0.8");

test("opens at the violation and draws", async () => {
  await open(small, async (page) => {
    assert.equal(await page.textContent("#verdict"), "✗ violation");
    assert.match(await page.textContent("#sentence"), /impossible/);
    assert.match(await page.textContent("#details"), /dequeue\(\) → "c"/);
    assert.ok(await colours(page) > 12);
    const now = await looking(page);
    assert.equal(now.selected, now.impossible);
    assert.ok(now.seesSelected);
    await keep(page, "small-light");
  });
});

test("zooms by key, wheel and button; pans; shows all", async () => {
  await open(medium, async (page) => {
    const before = await looking(page);
    await page.keyboard.press("+");
    const nearer = await looking(page);
    assert.ok(nearer.scale > before.scale);
    await page.mouse.move(600, 400);
    await page.mouse.wheel(0, 400);
    await settled(page);
    assert.ok((await looking(page)).scale < nearer.scale);
    await page.click("#fit");
    const all = await looking(page);
    assert.ok(all.start <= 0 && all.end >= 1999);
    await page.click("#zoom-in");
    await page.mouse.move(600, 300);
    await page.mouse.down();
    await page.mouse.move(500, 300, { steps: 4 });
    await page.mouse.up();
    const moved = await looking(page);
    assert.ok(moved.start > (all.start + all.end) / 2 - (moved.end - moved.start) / 2);
    await keep(page, "medium-light");
  });
});

test("finds operations by value and by number", async () => {
  await open(medium, async (page) => {
    await page.keyboard.press("/");
    await page.keyboard.type("put(");
    assert.match(await page.textContent("#found"), /^\d+ found$/);
    await page.keyboard.press("Enter");
    assert.match(await page.textContent("#details h2"), /^put\(/);
    await page.fill("#search", "#17");
    await page.press("#search", "Enter");
    const now = await looking(page);
    assert.equal(now.selected, 17);
    assert.ok(now.seesSelected);
    await page.fill("#search", "no such thing");
    assert.equal(await page.textContent("#found"), "none");
  });
});

test("jumps to the violation from anywhere", async () => {
  await open(medium, async (page) => {
    await page.keyboard.press("0");
    await page.keyboard.press("Escape");
    assert.equal((await looking(page)).selected, -1);
    await page.keyboard.press("v");
    const now = await looking(page);
    assert.equal(now.selected, now.impossible);
    assert.ok(now.seesSelected);
    await keep(page, "medium-violation");
  });
});

test("filters by process, key, value and core", async () => {
  await open(medium, async (page) => {
    const all = await looking(page);
    assert.equal(all.count, 1000);
    await page.selectOption("#by-process", { index: 2 });
    const one = await looking(page);
    assert.equal(one.lanes, 1);
    assert.ok(one.count > 0 && one.count < 1000);
    await page.selectOption("#by-key", { index: 1 });
    assert.ok((await looking(page)).count < one.count);
    await page.keyboard.press("Escape");
    await page.focus("#timeline");
    await page.keyboard.press("Escape");
    assert.equal((await looking(page)).count, 1000);
    await page.keyboard.press("c");
    const core = await looking(page);
    assert.ok(core.count > 0 && core.count < 20, `${core.count} operations`);
    await page.keyboard.press("c");
    await page.fill("#by-value", "3");
    assert.ok((await looking(page)).count < 1000);
  });
});

test("several objects have lanes of their own, with a filter; what is violated comes first", async () => {
  const on = (object, ...rest) => ({ ...operation(...rest), object });
  const lines = [
    on("first", 0, "write", [1], null, 0, 2), on("second", 0, "write", [5], null, 3, 4), on("second", 1, "read", [], 5, 5, 6),
    on("first", 1, "read", [], 1, 7, 8), on("second", 2, "read", [], 9, 9, 10), on("first", 2, "read", [], 1, 11, 12),
  ];
  const look = async (page) => {
    const lanes = () => page.evaluate(() => window.plumbReport.view.lanes.map(({ lane }) => {
      const { recording: r } = window.plumbReport;
      return `${r.objects[r.lanes[lane].object]} ${r.processes[r.lanes[lane].process]}`;
    }));
    assert.deepEqual(await lanes(), ["second process 0", "second process 1", "second process 2", "first process 0", "first process 1", "first process 2"]
      .map((name) => name.replace(/^\w+/, '"$&"')));
    await keep(page, "objects");
    await page.selectOption("#by-object", { label: 'object "first"' });
    assert.equal((await lanes()).length, 3);
    assert.equal((await looking(page)).count, 3);
    await page.keyboard.press("v");
    assert.equal((await looking(page)).count, 6, "what is violated is not hidden");
  };
  await open(written("objects", lines, "-m", "register"), look, { width: 1280 });
});

test("opens with all that the sentence names in view, and the core alone takes all the room", async () => {
  const lines = [...Array(200).keys()].map((k) => operation(k % 50, "enqueue", [k], null, 10 * k, 10 * k + 5));
  lines.push(operation(49, "dequeue", [], 3, 3000, 3001), operation(0, "dequeue", [], 0, 3002, 3003));
  await open(written("far", lines, "-m", "queue"), async (page) => {
    const sees = () => page.evaluate(() => {
      const { view, recording } = window.plumbReport;
      return recording.coreList.map((i) => view.sees(i));
    });
    assert.ok((await sees()).length > 1 && (await sees()).every((seen) => seen), await page.textContent("#sentence"));
    assert.ok(await page.isChecked("#core-only"), "the lanes between do not fit");
    await page.keyboard.press("c");
    assert.ok(!(await page.isChecked("#core-only")));
    const all = await looking(page);
    assert.equal(all.count, 202);
    assert.ok(all.seesSelected);
    await page.keyboard.press("0");
    await page.keyboard.press("c");
    assert.ok((await sees()).every((seen) => seen));
    await keep(page, "core-only");
  }, { width: 1280 });
});

test("what is wrong at the beginning has no empty room before it, and its text hides no other operation", async () => {
  const lines = [operation(0, "read", [], 7, 0, 1)];
  for (let i = 1; i < 80; ++i) lines.push(operation(i % 2, "read", [], null, 4 * i, 4 * i + 2));
  await open(written("beginning", lines, "-m", "register"), async (page) => {
    const { start, unit, hides } = await page.evaluate(() => {
      const { view, painter, recording } = window.plumbReport;
      return { start: view.start, unit: view.length / recording.events, hides: painter.hides(0, view.x(0), view.x(view.length)) };
    });
    assert.ok(start >= -unit * 1.01 && start <= 0, `${start}`);
    assert.equal(hides, true, "behind it in its lane there are others");
  }, { width: 1280 });
});

test("a legend says which colour is which operation, and shows one kind alone", async () => {
  await open(medium, async (page) => {
    const kinds = await page.$$eval("#legend .kind", (all) => all.map((each) => [each.textContent, each.querySelector("i").style.background]));
    assert.equal(kinds.length, await page.evaluate(() => window.plumbReport.recording.functions.length));
    assert.equal(new Set(kinds.map(([, colour]) => colour)).size, kinds.length);
    const all = (await looking(page)).count;
    await page.click("#legend .kind >> nth=0");
    const some = (await looking(page)).count;
    assert.ok(some > 0 && some < all);
    await page.click("#legend .kind >> nth=0");
    assert.equal((await looking(page)).count, all);
  });
});

test("of a long file name the end is seen, too; and all fits a phone", async () => {
  const name = `a-recording-with-a-very-long-name-${"of-the-nightly-run-".repeat(6)}part-3-of-12`;
  const page = written(name, [operation(0, "enqueue", ["a"], null, 0, 1), operation(1, "dequeue", [], "b", 2, 3)], "-m", "queue");
  const look = async (shown) => {
    const box = await shown.locator("#file span >> nth=1").boundingBox();
    assert.match(await shown.textContent("#file"), /part-3-of-12\.jsonl$/);
    const { width } = shown.viewportSize();
    assert.ok(box.width > 80 && box.x + box.width <= width, JSON.stringify(box));
    assert.ok(await shown.evaluate(() => document.documentElement.scrollWidth) <= width);
  };
  await open(page, look, { width: 1280 });
  await open(page, async (shown) => {
    await look(shown);
    await keep(shown, "phone");
  }, { width: 390, height: 844, scheme: "dark" });
});

test("steps through the order with the state after each", async () => {
  await open(small, async (page) => {
    await page.click(".step >> nth=0");
    assert.match(await page.textContent("#details"), /enqueue\("a"\).*state after\["a"\]/);
    await page.keyboard.press("]");
    assert.match(await page.textContent("#details h2"), /^enqueue/);
    await page.keyboard.press("[");
    assert.match(await page.textContent("#details h2"), /^enqueue\("a"\)/);
  });
});

test("the pointer shows and chooses what is under it", async () => {
  await open(small, async (page) => {
    const at = await page.evaluate(() => {
      const { painter, canvas } = window.plumbReport;
      const box = painter.box(0), stage = canvas.getBoundingClientRect();
      return { x: stage.x + box.left + box.width / 2, y: stage.y + box.top + box.height / 2 };
    });
    await page.mouse.move(at.x, at.y);
    assert.match(await page.textContent("#tip"), /enqueue\("a"\)#0 · process 0/);
    await page.mouse.click(at.x, at.y);
    assert.equal((await looking(page)).selected, 0);
  });
});

test("dark as the system says, and by a key; the axis can be time", async () => {
  await open(small, async (page) => {
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    assert.equal(await theme(), "dark");
    await keep(page, "small-dark");
    const dark = await pixel(page, 300, 3);
    await page.keyboard.press("d");
    await settled(page);
    assert.equal(await theme(), "light");
    assert.ok((await pixel(page, 300, 3))[0] > dark[0] + 100);
    await page.keyboard.press("t");
    assert.equal((await looking(page)).axis, "time");
    await keep(page, "small-time");
    await page.keyboard.press("?");
    assert.ok(await page.isVisible("#help"));
    await keep(page, "small-help");
  }, { scheme: "dark" });
});

test("on paper there is the core", async () => {
  await open(small, async (page) => {
    await page.emulateMedia({ media: "print" });
    assert.ok(await page.isVisible("#paper svg"));
    assert.ok(!(await page.isVisible("#timeline")));
    assert.match(await page.textContent("#paper table"), /enqueue\("a"\)/);
    await keep(page, "small-print");
  });
});

test("values are text, whatever they hold", async () => {
  const nasty = "</script><script>document.title='taken'</script><!--<img src=x onerror=alert(1)>\u2028\u001b[31m\u202e&amp;";
  const page = written("nasty", [
    operation(nasty, nasty, [nasty], null, 0, 1),
    operation(1, "dequeue", [], "<b>never</b>", 2, 3),
  ].map((line, k) => (k === 0 ? { ...line, f: "enqueue" } : line)), "-m", "queue");
  await open(page, async (shown) => {
    assert.match(await shown.title(), /nasty/);
    assert.equal(await shown.evaluate(() => document.querySelectorAll("script, img, b").length), 2);
    assert.ok((await shown.evaluate(() => window.plumbReport.recording.label(0))).includes("</script><script>"));
    await shown.evaluate(() => window.plumbReport.goTo(0));
    const details = await shown.textContent("#details");
    assert.ok(details.includes("<!--<img src=x") && details.includes("&amp;"));
    assert.ok(!/[\u001b\u2028\u202e]/.test(await shown.evaluate(() => document.body.innerText)));
    await keep(shown, "nasty");
  });
});

test("without a violation, and without anything", async () => {
  await open(reported("fine", `${example}queue-ok.jsonl`), async (page) => {
    assert.equal(await page.textContent("#verdict"), "✓ linearizable");
    assert.ok(!(await page.isVisible("#jump")));
    assert.ok(await colours(page) > 12);
    await keep(page, "fine");
  });
  await open(written("empty", [], "-m", "queue"), async (page) => {
    assert.match(await page.textContent("#sentence"), /empty/);
  });
});

test("many processes with names; times that tell nothing are not offered", async () => {
  const lines = [...Array(300).keys()].map((k) => operation(`client-${k}`, "fetch_add", [1], k, 7, 7));
  await open(written("many", lines, "-m", "counter"), async (page) => {
    const now = await looking(page);
    assert.equal(now.lanes, 300);
    assert.ok(await page.isDisabled("#axis-time"));
    await page.keyboard.press("t");
    assert.equal((await looking(page)).axis, "order");
    await page.fill("#search", "#299");
    await page.press("#search", "Enter");
    const row = await page.evaluate(() => window.plumbReport.painter.box(299).top);
    assert.ok(row > 0 && row < 800, "scrolled into sight");
    await keep(page, "many");
  });
});

test("a hundred thousand operations stay fluid", async () => {
  const large = generated("large", "-m", "queue", "-n", "100000", "-p", "12", "--seed", "5", "--spoil", "--overlap", "0.9");
  const begun = performance.now();
  await open(large, async (page) => {
    const opened = performance.now() - begun;
    const frames = [];
    const frame = async () => { await settled(page); frames.push(await page.evaluate(() => window.plumbReport.lastDraw)); };
    const now = await looking(page);
    assert.ok(now.seesSelected && now.selected === now.impossible);
    await keep(page, "large-violation");
    await page.keyboard.press("0");
    await frame();
    assert.ok(await colours(page) > 5);
    await keep(page, "large-all");
    for (let k = 0; k < 14; ++k) { await page.keyboard.press("+"); await frame(); }
    for (let k = 0; k < 10; ++k) { await page.keyboard.press("ArrowRight"); await frame(); }
    await page.fill("#search", "enqueue(777)");
    await page.press("#search", "Enter");
    assert.match(await page.textContent("#details h2"), /^enqueue\(777\)/);
    await keep(page, "large-found");
    const worst = Math.max(...frames);
    console.log(`100,000 operations: open in ${Math.round(opened)} ms, slowest frame drawn in ${worst.toFixed(1)} ms`);
    assert.ok(opened < 30_000 && worst < 1_000);
  });
  await open(large, (page) => keep(page, "large-dark"), { scheme: "dark" });
});
