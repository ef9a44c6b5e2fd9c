import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";

import { FakeTerminal } from "../../testing/fake-terminal.ts";
import { runBowline, type Ran, type RunBowlineOptions } from "../../testing/run-bowline.ts";
import { responseTo, ServerClient, tempFolder } from "../../testing/server-client.ts";
import { startedText, type StartedServer } from "./server.ts";

interface Started {
  readonly client: ServerClient;
  /** What Ctrl-C does. */
  readonly stop: () => Promise<Ran>;
}

/** `bowline server` in this process. */
async function start(data: string, ...args: string[]): Promise<Started> {
  const terminal = new FakeTerminal();
  const stop = new AbortController();
  const flags = ["--data", data, "--listen", "127.0.0.1:0", "--log-level", "silent", ...args];
  const running = runBowline(["server", ...flags], { terminal, signal: stop.signal });
  const stopped = (): Promise<Ran> => {
    stop.abort();
    return running;
  };
  onTestFinished(async () => void (await stopped()));
  await Promise.race([terminal.wrote("listens on"), running]);
  return { client: new ServerClient(terminal.written, data), stop: stopped };
}

async function output(args: readonly string[], options: RunBowlineOptions = {}): Promise<string> {
  const { code, out, error } = await runBowline(["server", ...args], options);
  return `${code} ${out}${error}`;
}

describe("bowline server", () => {
  test("stops with a sentence when another server has the folder", async () => {
    const data = await tempFolder();
    const { client } = await start(data);
    const second = await output(["--data", data, "--log-level", "silent"]);
    expect(second).toMatch(
      /^1 error: Another process works on this database; stop it, or choose another data folder/u,
    );
    expect((await client.get("/api/v1/clusters")).status).toBe(200);
  });

  test("cuts requests that do not end within the drain time", async () => {
    const { client, stop } = await start(await tempFolder(), "--drain-time", "1s");
    const creating = await client.beginCreate("/api/v1/clusters", "{");
    const failed = once(creating, "error");
    expect(await stop()).toMatchObject({ code: 0 });
    expect(await failed).toMatchObject([{ code: "ECONNRESET" }]);
  });

  test("has a flag for every setting in its help, and suggests the one that was meant", async () => {
    const { serverSettings } = await import("@bowline/server/settings");
    const { out } = await runBowline(["server", "--help"]);
    const flags = serverSettings.named
      .flatMap(({ flag, fromFile }) => [flag, fromFile?.flag])
      .filter((flag) => flag !== undefined);
    expect(flags.filter((flag) => !out.includes(`${flag} <`))).toEqual([]);
    expect(out).toContain("Examples:");
    expect(await output(["--lisen", "x"])).toMatch(/^2 error: .*Did you mean "--listen"\?/u);
  });
});

describe("bowline server check-config", () => {
  test("lists settings with where they are from, without secrets", async () => {
    const environment = { BOWLINE_DATABASE_URL: "postgres://u:s3cret@db/bowline" };
    const text = await output(["check-config", "--listen", "127.0.0.1:1"], { environment });
    expect(text).toMatch(/^0 SETTING +VALUE +FROM$/mu);
    expect(text).toMatch(/^listen +127\.0\.0\.1:1 +--listen$/mu);
    expect(text).toMatch(/^database\.url +postgres:\/\/u:\[Redacted\]@db\/bowline +BOWLINE_DATABASE_URL$/mu);
    expect(text).toMatch(/^role +all +default$/mu);
  });

  test("names all that is wrong", async () => {
    const text = await output(["check-config", "--listen", "x", "--role", "boss"]);
    expect(text).toMatch(/^2 error: 2 settings are wrong, the first: --listen must be an address/u);
    expect(text).toContain('\n  --role: must be one of all, api, controllers, gateway, not "boss".\n');
  });
});

describe("the commands for a server that is stopped", () => {
  test("migrate shows and changes the schema", async () => {
    const data = await tempFolder();
    const run = (...args: string[]): Promise<string> => output(["migrate", ...args, "--data", data]);
    expect(await run("status")).toMatch(/^0 MIGRATION +APPLIED\n0001-initial +not applied\n/u);
    expect(await run("up")).toContain("0 applied 0001-initial\n");
    expect(await run("up")).toBe("0 There was nothing to do.\n");
    expect(await run("down")).toContain("say that you mean it with --yes");
    expect(await run("down", "--yes", "--steps", "1")).toMatch(/^0 taken back \S+\n$/u);
    const answers = ["n"];
    expect(await output(["migrate", "down", "--data", data], { answers })).toMatch(
      /^130 error: Nothing was changed/u,
    );
    const { client } = await start(data);
    expect((await client.get("/api/v1/whoami")).status).toBe(200);
    expect(await run("status")).toMatch(/^1 error: Another process works on this database/u);
  });

  test("keys puts a new key first and encrypts everything with it", async () => {
    const data = await tempFolder();
    const file = join(data, "encryption.keys");
    const lines = (): string[] =>
      readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => /^[^#]/u.test(line));
    const rotate = ["keys", "rotate", "--data", data];
    const server = await start(data);
    const [old] = lines();
    expect(await output(rotate)).toMatch(/^1 error: Another process works on this database/u);
    expect(lines()).toEqual([old]);
    await server.stop();

    expect(await output(rotate)).toMatch(
      /^0 Encrypted \d+ values with the key \S+\.\nSecrets need no other key/u,
    );
    expect(lines()).toEqual([expect.any(String), old]);
    const { client } = await start(data);
    expect((await client.get("/api/v1/whoami")).status).toBe(200);
    expect(await output(["keys", "new"])).toMatch(/^0 \d{4}-\d\d-\d\d-[0-9a-f]{8}:[A-Za-z0-9+/]{43}=\n$/u);
  });

  test("recover lets the admin in again when every token is lost, and writes it down", async () => {
    const data = await tempFolder();
    expect(await output(["recover", "--data", data])).toMatch(
      /^1 error: There is no database of a server in/u,
    );
    const server = await start(data);
    const gone = server.client.open("DELETE", "/api/v1/tokens/admin").end();
    expect((await responseTo(gone)).statusCode).toBe(200);
    expect((await server.client.get("/api/v1/whoami")).status).toBe(401);
    expect(await output(["recover", "--data", data])).toMatch(/^1 error: Another process works on/u);
    await server.stop();

    const { code, out, error } = await runBowline(["server", "recover", "--data", data]);
    expect([code, out]).toEqual([0, expect.stringMatching(/^bwl_\w+\n$/u)]);
    expect(error).toMatch(/^token\/recovery-\w+ works until /u);
    writeFileSync(join(data, "admin.token"), out);
    const { client } = await start(data);
    expect((await client.get("/api/v1/whoami")).body).toContain('"role":"admin"');
    const audit = (await client.get("/api/v1/audit?user=system%3Arecovery")).body;
    expect(audit).toContain('"kind":"Token"');
    expect(audit).not.toContain(out.trim());
  });
});

const server: StartedServer = {
  version: "1.2.3",
  url: "https://127.0.0.1:7443",
  address: "127.0.0.1:7443",
  data: "/data",
  role: "all",
  caFile: undefined,
  caFingerprint: undefined,
  adminToken: undefined,
  adminTokenFile: "/my data/admin.token",
  hasAdminTokenFile: true,
  program: "bowline",
};

test("for as long as the first token is in its file, every start says how to log in with it", () => {
  expect(startedText(server)).toContain(
    "with the token of the first start:\n\n  bowline login https://127.0.0.1:7443 --token-file '/my data/admin.token'\n",
  );
  expect(startedText({ ...server, hasAdminTokenFile: false })).not.toContain("login");
});
