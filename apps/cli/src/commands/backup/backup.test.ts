import { createHash } from "node:crypto";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { errorBody, sendJson, TestServer } from "@bowline/client/testing";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";

import { runBowline, type Ran } from "../../testing/run-bowline.ts";
import { tempFolder } from "../../testing/server-client.ts";

const header = {
  format: "bowline-backup",
  formatVersion: 1,
  version: "0.1.0",
  migrations: ["0001-initial"],
  installation: "01890a5d-ac96-774b-bcce-b302099a8057",
  engine: "sqlite",
  createdAt: "2026-11-18T16:00:00.000Z",
  revision: 12,
  history: true,
  encryptionKeys: ["2026-11-18-aabbccdd"],
};
const text = `${JSON.stringify(header)}\n{"table":"objects","columns":[["id","text"]]}\n["a"]\n`;
const sha256 = createHash("sha256").update(text).digest("hex");
const whole = gzipSync(`${text}${JSON.stringify({ end: "bowline-backup", rows: { objects: 1 }, sha256 })}\n`);

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await tempFolder();
  file = join(folder, "a.backup");
});

/** A server that answers with these bytes, as many as there are. */
async function serve(
  bytes: Buffer,
  length = bytes.length,
): Promise<(args: readonly string[]) => Promise<Ran>> {
  const server = await TestServer.start((_request, response) => {
    response.writeHead(200, { "content-type": "application/gzip", "content-length": String(length) });
    response.write(bytes);
    if (bytes.length < length) setImmediate(() => response.destroy());
    else response.end();
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const environment = { HOME: folder, BOWLINE_SERVER: server.url, BOWLINE_TOKEN: "bwl_token" };
  return (args) => runBowline(["backup", ...args], { environment });
}

describe("bowline backup create", () => {
  test("writes a file for its owner only, and says that the keys are not in it", async () => {
    const backup = await serve(whole);
    const { code, out, error } = await backup(["create", file]);
    expect([code, out]).toEqual([
      0,
      `${file}: 1 object and 0 other rows, ${whole.length} bytes, as of 2026-11-18T16:00:00.000Z\n`,
    ]);
    expect(error).toContain(
      "The encryption keys are not in it. Without the key 2026-11-18-aabbccdd it cannot be",
    );
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file)).toEqual(whole);
  });

  test("never writes over another file unless told so", async () => {
    await writeFile(file, "mine");
    const backup = await serve(whole);
    expect(await backup(["create", file])).toMatchObject({
      code: 1,
      error: `error: There is a file ${file} already; choose another name, or replace it with --force.\n`,
    });
    expect(await readFile(file, "utf8")).toBe("mine");
    expect(await backup(["create", file, "--force"])).toMatchObject({ code: 0 });
    expect(await readFile(file)).toEqual(whole);
  });

  test.each([
    ["the connection breaks", whole.subarray(0, 40), 100],
    ["the server sends half of it", whole.subarray(0, -40), whole.length - 40],
    ["something else answers", Buffer.from("<html>"), 6],
  ])("leaves nothing when %s", async (_what, bytes, length) => {
    const backup = await serve(bytes, length);
    const { code, error } = await backup(["create", file]);
    expect(code).toBe(1);
    expect(error).toMatch(/^error: .*(?:broke|ends in the middle|no backup)/u);
    expect(await readdir(folder)).toEqual([]);
  });

  test("says why the server refuses", async () => {
    const server = await TestServer.start((_request, response) =>
      sendJson(response, 403, errorBody("Forbidden", "It takes the role admin.")),
    );
    onTestFinished(() => server[Symbol.asyncDispose]());
    const environment = { HOME: folder, BOWLINE_SERVER: server.url, BOWLINE_TOKEN: "bwl_token" };
    expect(await runBowline(["backup", "create", file], { environment })).toMatchObject({
      code: 1,
      error: "error: It takes the role admin.\n",
    });
  });
});

describe("bowline backup verify and show", () => {
  const run = (...args: string[]): Promise<Ran> => runBowline(["backup", ...args]);

  test("read a backup without a server", async () => {
    await writeFile(file, whole);
    expect(await run("verify", file)).toMatchObject({
      code: 0,
      out: `${file} is whole: 1 object and 0 other rows, as of 2026-11-18T16:00:00.000Z\n`,
    });
    expect((await run("show", file)).out).toMatch(/^Encryption keys: +2026-11-18-aabbccdd$/mu);
    expect(JSON.parse((await run("show", file, "-o", "json")).out)).toEqual(header);
  });

  test("refuse what is none, or not whole, with a sentence", async () => {
    await writeFile(file, whole.subarray(0, -20));
    expect(await run("verify", file)).toMatchObject({
      code: 1,
      error: `error: ${file}: The backup ends in the middle: it was not written, or not copied, to its end.\n`,
    });
    await writeFile(file, "text");
    expect((await run("show", file)).error).toContain("This is no backup of Bowline");
    expect(await run("show", join(folder, "none"))).toMatchObject({ code: 2 });
    expect((await run("show", folder)).error).toContain("cannot be read (EISDIR)");
  });
});

describe("bowline restore", () => {
  test("says which keys are missing, and where to put them", async () => {
    await writeFile(file, whole);
    const { code, error } = await runBowline(["restore", file, "--data", join(folder, "data")]);
    expect(code).toBe(1);
    expect(error).toContain('The backup needs the encryption key "2026-11-18-aabbccdd", and there is no ');
    expect(error).toContain("copy encryption.keys of the server that made the backup there");
  });
});
