// What a person does with the page of a test that failed.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { after, test } from "node:test";
import { close, folder, keep, open, settled } from "./harness.mjs";

after(close);

// The page of one test of the program.
function failed(name, file) {
  const page = join(folder, `${file}.html`);
  const done = spawnSync(process.env.PLUMB_PAGES, ["--filter", name, "--threads", "2", "--operations", "1", "--report", page, "--jobs", "1"],
                         { encoding: "utf8" });
  assert.equal(done.status, 1, done.stdout + done.stderr);
  return { page, text: done.stdout };
}
const lost = failed("lost </script><b>", "lost");
const race = failed("race", "race");
const deadlock = failed("deadlock", "deadlock");
const weak = failed("weak", "weak");
const fences = failed("fences", "fences");
const at = (page) => page.evaluate(() => window.plumbTest.at);

test("says what is wrong first, and names nothing else", async () => {
  await open(lost.page, async (page) => {
    assert.equal(await page.textContent(".pill"), "violation");
    assert.equal(await page.textContent("h1"), "lost </script><b>");
    assert.match(await page.textContent("#sentence"), /increment\(\) in thread \d returned 1, which is impossible/);
    assert.match(await page.textContent(".serial"), /closest serial run/);
    assert.equal(await page.locator(".serial li.differs").count(), 1);
    assert.match(await page.textContent(".serial li.differs"), /increment\(\) -> 2observed: 1/);
    assert.equal(await page.locator("#graph").count(), 0);
    assert.equal(await page.locator(".act.return.wrong").count(), 1);
    assert.equal(await page.locator(".column li.wrong").count(), 1);
    assert.doesNotMatch(await page.textContent("body"), /✓ linearizable/);
    await keep(page, "test-lost-light");
  }, { width: 1280, height: 800 });
});

test("steps through the interleaving by key and by click, with source and values", async () => {
  await open(lost.page, async (page) => {
    const last = await page.evaluate(() => window.plumbTest.steps.length) - 1;
    assert.ok(await page.isVisible(".source .here"), "opens where there is something to see");
    await page.keyboard.press("Home");
    assert.equal(await at(page), 0);
    await page.keyboard.press("ArrowDown");
    assert.equal(await at(page), 1);
    await page.keyboard.press("n");
    const thread = (i) => page.evaluate((k) => window.plumbTest.steps[k].thread, i);
    assert.notEqual(await thread(await at(page)), await thread(1));
    await page.keyboard.press("End");
    assert.equal(await at(page), last);
    const store = await page.evaluate(() => window.plumbTest.steps.findIndex((step) => step.action === "store"));
    await page.click(`tr[data-step="${store}"] .act`);
    assert.equal(await at(page), store);
    assert.match(await page.textContent(".source .here"), /count_\.store\(seen \+ 1/);
    assert.match(await page.textContent("#values tr.changed"), /1/);
    assert.match(await page.textContent(`tr[data-step="${store}"] .mem`), /release/);
    assert.match(await page.getAttribute(`tr[data-step="${store}"] a.place`, "href"), /^file:\/\/.*pages\.cpp$/);
  }, { width: 1280, height: 800 });
});

test("has the command to run it again", async () => {
  await open(lost.page, async (page) => {
    const command = await page.textContent(".command code");
    assert.ok(lost.text.includes(command), command);
    await page.click(".copy");
    await page.waitForFunction(() => document.querySelector(".copy").textContent !== "Copy");
  });
});

test("shows both accesses of a race side by side", async () => {
  await open(race.page, async (page) => {
    const columns = page.locator(".race .column");
    assert.equal(await columns.count(), 2);
    const [one, two] = [await columns.nth(0).boundingBox(), await columns.nth(1).boundingBox()];
    assert.ok(one.x + one.width <= two.x && Math.abs(one.y - two.y) < 2);
    assert.match(await page.textContent(".missing"), /neither happens before/);
    assert.match(await columns.nth(0).textContent(), /value_/);
    assert.equal(await page.locator("section:has(> h2:text('The history'))").count(), 0);
    await keep(page, "test-race-dark");
  }, { scheme: "dark", width: 1280, height: 800 });
});

test("draws who waits for whom", async () => {
  await open(deadlock.page, async (page) => {
    assert.equal(await page.locator(".waiting .thread").count(), 2);
    assert.equal(await page.locator(".waiting .object").count(), 2);
    assert.equal(await page.locator(".waiting path.waits").count(), 2);
    assert.equal(await page.locator(".waiting path.held").count(), 2);
    await keep(page, "test-deadlock-light");
  }, { width: 1280, height: 800 });
});

test("under the C++ memory model the graph is there: whose values are read, and which newer ones are not seen", async () => {
  await open(weak.page, async (page) => {
    assert.match(await page.textContent("#sentence"), /Under rc11/);
    const nodes = await page.evaluate(() => window.plumbTest.steps.length);
    assert.equal(await page.locator(".graph .event").count(), nodes);
    assert.equal(await page.locator(".graph .event.older").count(), 1);
    assert.match(await page.textContent(".graph .event.older"), /letter_.*older value/s);
    assert.equal(await page.locator(".graph > path.rf").count(), 1, "the flag is read without synchronising");
    assert.equal(await page.locator(".graph > path.unseen").count(), 1);
    assert.equal(await page.isVisible("#lanes"), false);
    assert.equal(await page.evaluate(() => document.querySelector(".drawing").scrollLeft), 0, "opens at its beginning");
    assert.ok(await page.evaluate(() => { const drawing = document.querySelector(".drawing"); return drawing.scrollWidth <= drawing.clientWidth; }), "is shown whole");
    assert.match(await page.textContent("header .suggestion"), /^Perhaps memory_order_release instead of relaxed/);
    assert.ok(await page.evaluate(() => [...document.querySelectorAll(".source, .source .line")].every((each) => each.scrollWidth <= each.clientWidth)), "no code is cut");
    await keep(page, "test-weak-light");
    const older = await page.evaluate(() => window.plumbTest.steps.findIndex((step) => /older value/.test(step.note)));
    await page.click(`.graph [data-node="${older}"] rect`);
    assert.equal(await at(page), older);
    assert.match(await page.textContent("#note"), /an older value/);
    assert.match(await page.textContent(".source .here"), /return letter_\.load/);
    await page.keyboard.press("ArrowUp");
    assert.equal(await at(page), older - 1);
    assert.equal(await page.locator(".graph .event.at").getAttribute("data-node"), String(older - 1));
    await page.click("[data-view=lanes]");
    assert.ok(await page.isVisible("#lanes") && !(await page.isVisible("#graph")));
  }, { width: 1280, height: 800 });
  await open(weak.page, async (page) => {
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390);
    await keep(page, "test-weak-phone");
    await page.emulateMedia({ media: "print" });
    assert.ok(await page.isVisible("#graph") && await page.isVisible("#lanes"));
  }, { width: 390, height: 844, scheme: "dark" });
});

test("an edge leads from a fence that releases to the one that acquires, beside that of the value", async () => {
  await open(fences.page, async (page) => {
    const fence = (thread) => page.evaluate((of) => window.plumbTest.steps.findIndex((step) => step.action === "fence" && step.thread === of), thread);
    const [from, to] = [await fence(1), await fence(2)];
    const edge = page.locator(".graph > path.sw");
    assert.equal(await edge.count(), 1);
    assert.deepEqual([await edge.getAttribute("data-from"), await edge.getAttribute("data-to")], [String(from), String(to)]);
    assert.equal(await page.locator(`.graph > path.rf[data-to="${to - 1}"]`).count(), 1, "the flag is read by the step before it");
    await page.click(`.graph [data-node="${to}"] rect`);
    assert.match(await page.textContent("#note"), /synchronises with the fence of thread 1 \(pages\.cpp:\d+\)/);
    await keep(page, "test-fences-light");
  }, { width: 1280, height: 800 });
});

test("fits a phone, and paper", async () => {
  await open(lost.page, async (page) => {
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `${wide} pixels`);
    await keep(page, "test-lost-phone");
    await page.emulateMedia({ media: "print" });
    await settled(page);
    assert.equal(await page.isVisible("#panel"), false);
    assert.equal(await page.isVisible("#lanes"), true);
  }, { width: 390, height: 844 });
});
