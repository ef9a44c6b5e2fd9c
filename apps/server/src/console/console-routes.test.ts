import { mkdir, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { createTempFolder } from "@bowline/test-services";
import type { LightMyRequestResponse } from "fastify";
import { describe, expect, onTestFinished, test } from "vitest";

import { openTestApi } from "../api/testing/api-harness.ts";
import { consoleRoutes } from "./console-routes.ts";

const shell = `<!doctype html><meta property="csp-nonce" nonce="__NONCE__"><script src="/ui/assets/index-abc.js" nonce="__NONCE__"></script>`;

interface Page {
  readonly folder: string;
  readonly get: (
    url: string,
    headers?: Readonly<Record<string, string>>,
    method?: "GET" | "HEAD" | "POST",
  ) => Promise<LightMyRequestResponse>;
}

const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

/** A page of one script, as the build leaves it. */
async function openPage(): Promise<Page> {
  const temp = await createTempFolder("console");
  onTestFinished(() => temp[Symbol.asyncDispose]());
  const folder = join(temp.path, "dist");
  await mkdir(join(folder, "assets", "inner"), { recursive: true });
  await writeFile(join(folder, "index.html"), shell);
  await writeFile(join(temp.path, "secret.txt"), "secret");
  await writeFile(join(folder, "assets", "index-abc.js"), "plain();");
  await writeFile(join(folder, "assets", "index-abc.js.br"), "brotli");
  await writeFile(join(folder, "assets", "index-abc.js.gz"), "gzipped");
  await writeFile(join(folder, "assets", "inner", "secret.js"), "secret");
  const { app } = await openTestApi({ plugins: [consoleRoutes({ folder })] });
  return {
    folder,
    get: (url, headers = {}, method = "GET") => app.inject({ method, url, headers }),
  };
}

describe("the page", () => {
  test("has a nonce of its own in each answer, and headers that let nothing else in", async () => {
    const { get } = await openPage();
    const [first, second] = [await get("/ui/", browser), await get("/ui/", browser)];
    expect(first.statusCode).toBe(200);
    const nonce = /'nonce-([\w+/=]{24})'/u.exec(String(first.headers["content-security-policy"]))?.[1] ?? "";
    expect(first.body).toBe(shell.replaceAll("__NONCE__", nonce));
    expect(second.body).not.toBe(first.body);
    expect(first.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": `default-src 'none'; script-src 'self'; style-src-elem 'self' 'nonce-${nonce}'; style-src-attr 'none'; img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types bowline-worker`,
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "permissions-policy": expect.stringMatching(/camera=\(\), .*clipboard-write=\(self\)$/u),
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
    });
    expect(first.headers).not.toHaveProperty("strict-transport-security");
    expect(first.headers).not.toHaveProperty("set-cookie");
  });

  test("answers for every place in it, to browsers only", async () => {
    const { get } = await openPage();
    expect((await get("/ui/c/prod/o/v1/pods/shop/web", browser)).statusCode).toBe(200);
    const program = await get("/ui/c/prod", { accept: "application/json" });
    expect(program.statusCode).toBe(404);
    expect(program.json()).toMatchObject({ error: { code: "NotFound" } });
  });

  test("is where the address of the server leads browsers; programs find nothing there, as before", async () => {
    const { get } = await openPage();
    const answer = await get("/", browser);
    expect([answer.statusCode, answer.headers["location"]]).toEqual([302, "/ui/"]);
    expect((await get("/ui", browser)).headers["location"]).toBe("/ui/");
    expect((await get("/", { accept: "*/*" })).json()).toMatchObject({ error: { code: "NotFound" } });
  });

  test("that is not built says what to do, under the same policy; once built it is there", async () => {
    const { get, folder } = await openPage();
    await rm(join(folder, "index.html"));
    const missing = await get("/ui/", browser);
    expect([missing.statusCode, missing.body]).toEqual([503, expect.stringContaining("npm run build:web")]);
    expect(missing.headers["content-security-policy"]).toContain("default-src 'none'");
    await writeFile(join(folder, "index.html"), "built");
    expect((await get("/ui/", browser)).body).toBe("built");
    await writeFile(join(folder, "index.html"), "built again");
    await utimes(join(folder, "index.html"), new Date(), new Date(Date.now() + 5_000));
    await writeFile(join(folder, "assets", "later-def.css"), "a{}");
    expect((await get("/ui/", browser)).body).toBe("built again");
    expect((await get("/ui/assets/later-def.css")).headers["content-type"]).toMatch(/^text\/css/u);
  });
});

describe("a file of the page", () => {
  test.each([
    ["br, gzip", "br", "brotli"],
    ["gzip, deflate", "gzip", "gzipped"],
    ["br;q=0, gzip;q=0.5", "gzip", "gzipped"],
    ["", undefined, "plain();"],
  ])("is sent as a browser that accepts «%s» wants it", async (accepted, encoding, body) => {
    const { get } = await openPage();
    const answer = await get("/ui/assets/index-abc.js", { "accept-encoding": accepted });
    expect(answer.headers["content-encoding"]).toBe(encoding);
    expect(answer.body).toBe(body);
    expect(answer.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "content-length": String(body.length),
      "cache-control": "public, max-age=31536000, immutable",
      vary: "Accept-Encoding",
      "x-content-type-options": "nosniff",
    });
    expect(answer.headers["content-security-policy"]).not.toContain("nonce");
  });

  test("is not sent to whom has it, nor with its head alone", async () => {
    const { get } = await openPage();
    const { etag = "" } = (await get("/ui/assets/index-abc.js")).headers;
    const again = await get("/ui/assets/index-abc.js", { "if-none-match": etag });
    expect([again.statusCode, again.body]).toEqual([304, ""]);
    const head = await get("/ui/assets/index-abc.js", {}, "HEAD");
    expect([head.statusCode, head.body, head.headers["content-length"]]).toEqual([200, "", "8"]);
  });

  test.each([
    "../index.html",
    "..%2findex.html",
    "..%2f..%2fsecret.txt",
    "%2e%2e/%2e%2e/secret.txt",
    "inner/secret.js",
    "inner%2fsecret.js",
    "inner",
    "",
    ".",
    "index-abc.js%00",
    "constructor",
    "C:%5Csecret.txt",
  ])("is none of what else there is: %s", async (name) => {
    const { get } = await openPage();
    const answer = await get(`/ui/assets/${name}`);
    expect(answer.statusCode).toBe(404);
    expect(answer.body).not.toContain("secret\n");
  });

  test("cannot be written", async () => {
    const { get } = await openPage();
    expect((await get("/ui/assets/index-abc.js", {}, "POST")).statusCode).toBe(405);
  });
});

test("a house full of people may open the page: its files are not counted with what strangers try", async () => {
  const { get } = await openPage();
  const files = Array.from({ length: 1_000 }, () => get("/ui/assets/index-abc.js"));
  expect(new Set((await Promise.all(files)).map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  // Others do count, and have all that they had.
  const tried = await Promise.all(Array.from({ length: 600 }, () => get("/nothing")));
  const refused = tried.filter(({ statusCode }) => statusCode === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(tried.length - refused.length).toBeGreaterThanOrEqual(500);
  expect((await get("/ui/", browser)).statusCode).toBe(200);
});
