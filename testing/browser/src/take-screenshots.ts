/**
 * Takes the pictures of the guide: runs the demo, walks through its first minute and what else the guide shows, and
 * writes `docs/guides/images/console-*.png`.
 *
 * `npm run screenshots`
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { startChromium } from "./browser/chromium.ts";
import { Visit } from "./browser/visit.ts";
import { walkFirstMinute, type Shot } from "./first-minute.ts";
import { Demo } from "./stage/demo.ts";

const folder = process.argv[2] ?? fileURLToPath(new URL("../../../docs/guides/images/", import.meta.url));
/** As small as they can be read. */
const size = { width: 1040, height: 640 };

/** Places that need no clicks. */
const places = [
  { name: "pods", path: "/c/cloud/k/core/v1/pods", text: "api-" },
  { name: "questions", path: "/ask", text: "Questions" },
  { name: "audit", path: "/audit", text: "editor" },
] as const;

await mkdir(folder, { recursive: true });
await using demo = await Demo.start();
await using browser = await startChromium();
await using visit = await Visit.open(browser, demo.link, { viewport: size });
const shot: Shot = async (name) => {
  await visit.page.screenshot({ path: join(folder, `console-${name}.png`), animations: "disabled" });
  console.log(`${name} is taken.`);
};
await walkFirstMinute(demo, visit, shot);
const base = new URL("/ui/", visit.page.url());
for (const { name, path, text } of places) {
  await visit.page.goto(new URL(path.slice(1), base).href);
  await visit.page.getByText(text).first().waitFor();
  await shot(name);
}
