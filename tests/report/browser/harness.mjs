// Reports made by the command, opened in a browser, and watched: no error, no request but for the file itself.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { PLUMB, PLUMB_BROWSER_FOLDER, PLUMB_SCREENSHOTS } = process.env;
const { chromium } = createRequire(join(PLUMB_BROWSER_FOLDER, "package.json"))("playwright-core");

export const folder = mkdtempSync(join(tmpdir(), "plumb-browser-"));
const executable = execFileSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).trim();
const browser = await chromium.launch({ executablePath: executable, args: ["--no-sandbox", "--disable-dev-shm-usage"] });

export async function close() {
  await browser.close();
  rmSync(folder, { recursive: true });
}

// Runs the command; a status of 1 is a violation, as it should be.
function plumb(...words) {
  try {
    return execFileSync(PLUMB, words, { encoding: "utf8", maxBuffer: 1 << 28 });
  } catch (error) {
    assert.equal(error.status, 1, error.stderr);
    return error.stdout;
  }
}

// The report of a generated history, as a page.
export function generated(name, ...options) {
  const history = join(folder, `${name}.jsonl`);
  plumb("generate", "-o", history, ...options);
  return reported(name, history, "-m", options[options.indexOf("-m") + 1]);
}
export function written(name, lines, ...options) {
  const history = join(folder, `${name}.jsonl`);
  writeFileSync(history, lines.map((line) => JSON.stringify(line) + "\n").join(""));
  return reported(name, history, ...options);
}
export function reported(name, history, ...options) {
  const page = join(folder, `${name}.html`);
  plumb("report", history, "-o", page, "--quiet", ...options);
  return page;
}

// Opens a page and gives it to `look`; then nothing must have gone wrong in it.
export async function open(file, look, { scheme = "light", width = 1360, height = 800 } = {}) {
  const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height } });
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => wrong.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (request.url() !== pathToFileURL(file).href) wrong.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  await settled(page);
  await look(page);
  await context.close();
  assert.deepEqual(wrong, []);
}

// Until what was asked for is drawn.
export function settled(page) {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

export async function keep(page, name) {
  await settled(page);
  await page.screenshot({ path: join(PLUMB_SCREENSHOTS, `${name}.png`) });
}

// The timeline as it is on the screen: one pixel (red, green, blue, alpha), and how many colours there are.
function look(page, x, y) {
  return page.evaluate(([left, top]) => {
    const canvas = document.getElementById("timeline");
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
    const at = 4 * (top * canvas.width + left);
    return { pixel: [...data.slice(at, at + 4)], colours: new Set(new Uint32Array(data.buffer)).size };
  }, [x, y]);
}
export const pixel = async (page, x, y) => (await look(page, x, y)).pixel;
export const colours = async (page) => (await look(page, 0, 0)).colours;

// The part of the axis that is in sight, and what is selected.
export function looking(page) {
  return page.evaluate(() => {
    const { view, state, recording } = window.plumbReport;
    const end = view.start + view.width / view.scale;
    return {
      start: view.start, end, scale: view.scale, count: view.count, lanes: view.lanes.length, axis: view.axis,
      selected: state.selected, impossible: recording.impossible,
      seesSelected: state.selected >= 0 && view.call[state.selected] < end && view.ret[state.selected] > view.start,
    };
  });
}
