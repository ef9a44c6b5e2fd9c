import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { createTempFolder } from "@bowline/test-services";
import { expect, onTestFinished, test } from "vitest";

import { startChromium } from "../browser/chromium.ts";
import { Visit } from "../browser/visit.ts";
import { walkFirstMinute } from "../first-minute.ts";
import { Demo } from "../stage/demo.ts";
import { untilTestEnds } from "../stage/use-stage.ts";

/** A server, three clusters and a browser, on a machine that may be busy; a minute where it is not. */
const timeout = 600_000;

test("the first minute: from the printed link to a third cluster that turns green", { timeout }, async () => {
  const demo = await Demo.start();
  onTestFinished(() => demo[Symbol.asyncDispose]());
  const browser = await startChromium();
  onTestFinished(() => browser.close());
  const film = await createTempFolder("first-minute");
  onTestFinished(() => film[Symbol.asyncDispose]());
  const visit = untilTestEnds(await Visit.open(browser, demo.link));
  await walkFirstMinute(demo, visit, async (name) => {
    await visit.page.screenshot({ path: join(film.path, `${name}.png`) });
  });
  const pictures = await readdir(film.path);
  expect(pictures.toSorted()).toEqual(
    ["fleet", "broken-workload", "logs", "shell", "join", "joined"].map((name) => `${name}.png`).toSorted(),
  );
  for (const picture of pictures)
    expect((await readFile(join(film.path, picture))).length).toBeGreaterThan(5_000);
});
