import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { startRealServer, type RealServer } from "../../testing/real-server.ts";
import { TestHome } from "../../testing/test-home.ts";

let home: TestHome;
let server: RealServer;

beforeAll(async () => {
  home = await TestHome.create();
  server = await startRealServer(join(home.folder, "data"), { "--console-listen": "127.0.0.1:0" });
  const login = ["login", server.url, ...server.caFlag, "--token-file", server.adminTokenFile];
  await home.run(login);
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

/** Signs in as the page does with what is behind the number sign. */
async function signIn(link: string): Promise<number> {
  const { origin, hash } = new URL(link);
  const code = new URLSearchParams(hash.slice(1)).get("code");
  const answer = await fetch(`${origin}/api/v1/sessions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  return answer.status;
}

test("a link is printed that opens the console signed in, once; no certificate is in the way", async () => {
  const { code, out, error } = await home.run(["ui", "--no-browser"]);
  expect([code, error]).toEqual([0, ""]);
  expect(out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/ui\/#code=bwc_\w{49}\n$/u);
  expect([await signIn(out.trim()), await signIn(out.trim())]).toEqual([201, 401]);
  expect((await home.run(["get", "sessions"])).out).toMatch(/^NAME .*\ns-\w+ +admin /u);
});

test("the browser of the system is opened with it", async () => {
  const seen = join(home.folder, "seen");
  const browser = join(home.folder, "browser");
  await writeFile(browser, `#!/bin/sh\nprintf '%s' "$1" > ${seen}.part && mv ${seen}.part ${seen}\n`);
  await chmod(browser, 0o755);
  const { out } = await home.run(["ui"], { environment: { BROWSER: browser } });
  expect(out).toMatch(/^The console opens in your browser\. If it does not: http/u);
  await expect.poll(() => readFile(seen, "utf8").catch(() => "")).toMatch(/\/ui\/#code=bwc_\w{49}$/u);
  expect(await signIn(await readFile(seen, "utf8"))).toBe(201);
});

test("where there is no browser, it says so", async () => {
  const { code, out, error } = await home.run(["ui"], { environment: { BROWSER: "/nowhere/browser" } });
  expect([code, error]).toEqual([0, expect.stringContaining("no program here that opens a browser")]);
  expect(out).toMatch(/^http/u);
});
