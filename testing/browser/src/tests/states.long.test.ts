import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { createTempFolder } from "@bowline/test-services";
import { expect, onTestFinished, test } from "vitest";
import { build, preview } from "vite";

import { accessibilityProblems } from "../browser/accessibility-problems.ts";
import { startChromium } from "../browser/chromium.ts";
import { Visit } from "../browser/visit.ts";
import { untilTestEnds } from "../stage/use-stage.ts";

const web = fileURLToPath(new URL("../../../../apps/web/", import.meta.url));

/** The page as developers have it, with the place that shows every state. Returns its address. */
async function serveStates(): Promise<string> {
  const folder = await createTempFolder("console-states");
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const options = {
    configFile: join(web, "vite.config.ts"),
    mode: "development",
    logLevel: "error",
    build: { outDir: folder.path },
  } as const;
  await build(options);
  const server = await preview({ ...options, preview: { host: "127.0.0.1", port: 0 } });
  onTestFinished(() => server.close());
  return server.resolvedUrls?.local[0] ?? "";
}

test("every state of a screen is for everybody, in both themes", { timeout: 300_000 }, async () => {
  const address = await serveStates();
  const browser = await startChromium();
  onTestFinished(() => browser.close());
  for (const theme of ["light", "dark"] as const) {
    const visit = untilTestEnds(await Visit.open(browser, address, { theme }));
    // There is no server behind it.
    visit.complaints.expect(/404 \(Not Found\)/u);
    await visit.open("/dev/states");
    await visit.heading("States").waitFor();
    expect(await accessibilityProblems(visit.page)).toEqual([]);
  }
});
