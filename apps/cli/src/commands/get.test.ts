import { Cluster, User, WorkloadDefinition } from "@bowline/api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { FakeTerminal } from "../testing/fake-terminal.ts";
import { startObjectServer, type ObjectServer } from "../testing/object-server.ts";

let server: ObjectServer;
beforeAll(async () => {
  server = await startObjectServer();
  const { client } = server;
  const spec = (region: string): { region: string } => ({ region });
  await client.create(Cluster, { metadata: { name: "beta", labels: { env: "prod" } }, spec: spec("eu-2") });
  await client.create(Cluster, { metadata: { name: "alpha" }, spec: spec("eu-3") });
  await client.create(Cluster, {
    metadata: { name: "gamma", labels: { env: "prod", tier: "a" } },
    spec: spec("eu-1"),
  });
  const source = { inline: { manifests: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n" } };
  await client.create(WorkloadDefinition, { metadata: { name: "web" }, spec: { source } });
});
afterAll(() => server[Symbol.asyncDispose]());

async function columns(...args: string[]): Promise<string[][]> {
  const { out, code } = await server.bowline(["get", ...args]);
  expect(code).toBe(0);
  return out
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/));
}

describe("get", () => {
  test("prints a table in the order of names", async () => {
    const rows = await columns("clusters");
    expect(rows[0]).toEqual(["NAME", "PROVIDER", "READY", "AGENT", "VERSION", "AGE"]);
    expect(rows.slice(1).map(([name]) => name)).toEqual(["alpha", "beta", "gamma"]);
  });

  test("adds columns and leaves out headers when asked", async () => {
    const [row] = await columns("cluster", "gamma", "-o", "wide", "--no-headers", "--show-labels");
    expect(row).toContain("eu-1");
    expect(row?.at(-1)).toBe("env=prod,tier=a");
  });

  test("puts the kind before the names when there are several kinds", async () => {
    const { out } = await server.bowline(["get", "cl,wd"]);
    expect(out).toMatch(
      /^NAME .*\ncluster\/alpha .*\n(?:cluster.*\n)+\nNAME .*\nworkloaddefinition\/web .*\n$/,
    );
  });

  test.each([
    ["labels", ["-l", "env=prod,!tier"], ["beta"]],
    ["fields", ["--field-selector", "spec.region=eu-3"], ["alpha"]],
    ["a field to sort by", ["--sort-by", "{.spec.region}"], ["gamma", "beta", "alpha"]],
    ["a limit", ["--limit", "2"], ["alpha", "beta"]],
    ["a limit after sorting", ["--sort-by", "spec.region", "--limit", "1"], ["gamma"]],
    ["small pages", ["--chunk-size", "1"], ["alpha", "beta", "gamma"]],
  ])("goes by %s", async (_, flags, names) => {
    const { out } = await server.bowline(["get", "clusters", "-o", "name", ...flags]);
    expect(out.split("\n").filter(Boolean)).toEqual(names.map((name) => `cluster/${name}`));
  });

  test("says how many a limit left out", async () => {
    expect((await server.bowline(["get", "clusters", "--limit", "2"])).error).toBe(
      "Showing 2 of 3 clusters.\n",
    );
  });

  test("prints one object as it is, and several as a list", async () => {
    const one = JSON.parse((await server.bowline(["get", "cluster/beta", "-o", "json"])).out);
    expect(one).toEqual(await server.client.get(Cluster, "beta"));
    const two = JSON.parse((await server.bowline(["get", "cluster", "beta", "alpha", "-o", "json"])).out);
    expect(two).toMatchObject({
      kind: "List",
      items: [{ metadata: { name: "beta" } }, { metadata: { name: "alpha" } }],
    });
  });

  test("says so when there is nothing, in the words of the format", async () => {
    expect(await server.bowline(["get", "credentials"])).toMatchObject({
      code: 0,
      out: "",
      error: "No credentials found.\n",
    });
    const { out } = await server.bowline(["get", "credentials", "-o", "json"]);
    expect(JSON.parse(out)).toEqual({ apiVersion: "bowline.dev/v1", kind: "List", items: [] });
  });

  test("shows what it finds and fails for what it does not", async () => {
    const ran = await server.bowline(["get", "cluster", "nope", "beta"]);
    expect(ran).toMatchObject({ code: 1, error: 'error: There is no Cluster "nope".\n' });
    expect(ran.out).toContain("beta");
    expect(await server.bowline(["get", "cluster", "nope", "--ignore-not-found"])).toMatchObject({
      code: 0,
      out: "",
      error: "",
    });
  });

  test.each([
    [["clutsers"], "did you mean «clusters»?"],
    [["clusters", "--sort-by", "spec.regoin"], "did you mean «spec.region»?"],
    [["clusters", "-l", "a=b=c"], "The label selector has «a=b=c»"],
    [["clusters", "--field-selector", "spec.regoin=a"], "did you mean «spec.region»?"],
    [["clusters", "beta", "-l", "a"], "leave out either the names or the selector"],
    [["clusters", "-o", "xml"], '"xml" is invalid'],
    [["clusters", "--limit", "0"], "not a whole number above zero"],
    [["cl,wi", "--watch"], "Only one kind can be watched"],
    [["clusters", "--watch", "--limit", "3"], "leave out --limit"],
  ])("refuses %j before anything is asked of the server", async (args, message) => {
    const ran = await server.bowline(["get", ...args]);
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(ran.error).toContain(message);
  });

  test("shows nothing that a terminal would obey", async () => {
    const note = "\u001B]0;title\u0007\u009B2J";
    await server.client.create(User, { metadata: { name: "mallory", annotations: { note } }, spec: {} });
    for (const format of ["json", "yaml", "wide"]) {
      const { out } = await server.bowline(["get", "user", "mallory", "-o", format]);
      expect(out).not.toMatch(/[^\P{Cc}\n]/u);
    }
  });

  test("is red where a cluster is not ready, and only on a terminal", async () => {
    await server.bowline(["wait", "cluster/alpha", "--for", "condition=Ready=False"]);
    const onTerminal = await server.bowline(["get", "cluster", "alpha"], { isTty: true });
    expect(onTerminal.out).toContain("\u001B[31mFalse\u001B[39m");
    expect((await server.bowline(["get", "cluster", "alpha"])).out).not.toContain("\u001B");
  });
});

describe("get --watch", () => {
  test("shows what is there, then what changes, until it is interrupted", async () => {
    const terminal = new FakeTerminal();
    const interrupt = new AbortController();
    const flags = ["-l", "team=watched", "--output-watch-events"];
    const { client } = server;
    const metadata = { name: "watched-1", labels: { team: "watched" } };
    await client.create(User, { metadata, spec: {} });
    const ran = server.bowline(["get", "users", "--watch", ...flags], { terminal, signal: interrupt.signal });
    await terminal.wrote("watched-1");
    await client.create(User, { metadata: { ...metadata, name: "watched-2" }, spec: { role: "editor" } });
    await terminal.wrote("watched-2");
    await client.delete(User, "watched-1");
    await terminal.wrote("DELETED");
    interrupt.abort();
    expect((await ran).code).toBe(130);
    const rows = terminal.written
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/).slice(0, 3));
    expect(rows).toEqual([
      ["EVENT", "NAME", "ROLE"],
      ["ADDED", "watched-1", "viewer"],
      ["ADDED", "watched-2", "editor"],
      ["DELETED", "watched-1", "viewer"],
    ]);
  });

  test("leaves out what is there with --watch-only, and prints documents", async () => {
    const terminal = new FakeTerminal();
    const interrupt = new AbortController();
    await server.client.create(User, { metadata: { name: "only" }, spec: {} });
    const ran = server.bowline(["get", "user/only", "--watch-only", "-o", "json"], {
      terminal,
      signal: interrupt.signal,
    });
    // The change may come before the watch has begun, and would then be among what is left out.
    for (let role = 0; !terminal.written.includes("\n"); role += 1) {
      await server.client.patch(User, "only", { spec: { email: `${role}@example.com` } });
    }
    interrupt.abort();
    await ran;
    const [line = ""] = terminal.written.split("\n");
    expect(JSON.parse(line)).toMatchObject({ kind: "User", spec: { email: expect.stringContaining("@") } });
  });
});
