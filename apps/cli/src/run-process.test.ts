import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { text } from "node:stream/consumers";

import { sampleCluster, sendJson, TestServer } from "@bowline/client/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { TestHome } from "./testing/test-home.ts";

/** The real process, for what only a process has: exit codes, signals and pipes. */
const main = fileURLToPath(new URL("main.ts", import.meta.url));

let home: TestHome;
let server: TestServer;
const watching: PromiseWithResolvers<void>[] = [];

beforeEach(async () => {
  home = await TestHome.create();
  server = await TestServer.start(({ url }, response) => {
    if (url.includes("watch=true")) {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      return watching.shift()?.resolve();
    }
    if (url === "/version") return sendJson(response, 200, { version: "1.0.0" });
    if (url === "/api/v1/login") {
      return sendJson(response, 200, { user: "editor", role: "editor", groups: [], method: "token" });
    }
    const items = Array.from({ length: 1000 }, (_, index) => sampleCluster(`cluster-${index}`));
    return sendJson(response, 200, { metadata: { resourceVersion: "1", total: items.length }, items });
  });
});

afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

function start(...args: string[]): ChildProcess {
  return spawn(process.execPath, [main, ...args], {
    env: {
      PATH: process.env["PATH"],
      BOWLINE_CONFIG: home.configFile,
      HOME: home.folder,
      BOWLINE_SERVER: server.url,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function finished(child: ChildProcess): Promise<{ code: number; out: string; error: string }> {
  if (child.stdout === null || child.stderr === null) throw new Error("It has no pipes.");
  const [out, error, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { code, out, error };
}

test("exit codes tell what happened", async () => {
  const [done, failed, wrong] = await Promise.all([
    finished(start("get", "clusters", "-o", "name")),
    finished(start("whoami", "--server", "http://127.0.0.1:1")),
    finished(start("whoamy")),
  ]);
  expect(done).toMatchObject({ code: 0, error: "" });
  expect(done.out.split("\n")).toHaveLength(1001);
  expect(failed).toMatchObject({
    code: 1,
    out: "",
    error: expect.stringMatching(/^error: Nothing listens at/),
  });
  expect(wrong).toMatchObject({ code: 2, out: "", error: expect.stringContaining('Did you mean "whoami"?') });
});

test("a pipe that is closed early ends it without a word", async () => {
  const child = start("get", "clusters", "-o", "json");
  child.stdout?.once("data", () => child.stdout?.destroy());
  const error = child.stderr === null ? "" : text(child.stderr);
  const [code] = await once(child, "close");
  expect({ code, error: await error }).toEqual({ code: 141, error: "" });
});

test("output that cannot be written is an error", async () => {
  const full = await open("/dev/full", "w");
  const child = spawn(process.execPath, [main, "explain", "cluster"], { stdio: ["ignore", full.fd, "pipe"] });
  const error = child.stderr === null ? "" : text(child.stderr);
  const [code] = await once(child, "close");
  await full.close();
  expect({ code, error: await error }).toEqual({
    code: 1,
    error: "error: The output cannot be written: ENOSPC: no space left on device, write.\n",
  });
});

describe("while it waits", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s ends it with exit code %i and without a word", async (signal, expected) => {
    const open = Promise.withResolvers<void>();
    watching.push(open);
    const child = start("get", "clusters", "--watch-only");
    const end = finished(child);
    await open.promise;
    child.kill(signal);
    expect(await end).toEqual({ code: expected, out: "", error: "" });
  });
});

/** Gives a process a terminal of its own; it is part of every Debian, and other systems have another one. */
const terminalProgram = "script";

describe.skipIf(process.platform !== "linux")("on a terminal", () => {
  function startOnTerminal(...args: string[]): ChildProcess {
    const command = [process.execPath, main, ...args].map((word) => `'${word}'`).join(" ");
    return spawn(terminalProgram, ["-qec", command, "/dev/null"], {
      env: { PATH: process.env["PATH"], BOWLINE_CONFIG: home.configFile, HOME: home.folder, TERM: "xterm" },
    });
  }

  async function answering(
    child: ChildProcess,
    question: string,
    answer: string,
  ): Promise<{ code: number; out: string }> {
    let out = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      const asked = !out.includes(question) && (out + text).includes(question);
      out += text;
      if (asked) child.stdin?.write(answer);
    });
    const [code] = await once(child, "close");
    return { code, out };
  }

  test("a token that is typed is not shown", async () => {
    const { code, out } = await answering(startOnTerminal("login", server.url), "Token: ", "bwl_s3cr3t\r");
    expect(code).toBe(0);
    expect(out).toContain("Signed in");
    expect(out).not.toContain("bwl_s3cr3t");
    expect(server.requests.at(-1)?.headers.authorization).toBe("Bearer bwl_s3cr3t");
  });

  test("Ctrl-C at a question ends it", async () => {
    const { code, out } = await answering(startOnTerminal("login", server.url), "Token: ", "\u0003");
    expect(code).toBe(130);
    expect(out).toContain("nothing was done");
  });
});

test("the version needs neither the API, the client nor the server", async () => {
  const report = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    process.on("exit", () => process.stderr.write(loaded.join("\\n")));`;
  const child = spawn(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(report)}`, main, "--version"],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  const { code, out, error } = await finished(child);
  expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  expect(error).toContain("packages/core");
  expect(error).not.toMatch(/packages\/(api|client)|apps\/server|node_modules\/(undici|yaml|typebox)/);
});
