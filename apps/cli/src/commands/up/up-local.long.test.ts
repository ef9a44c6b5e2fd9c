import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { freePort, reapOnExit } from "@bowline/test-services";
import { describe, expect, onTestFinished, test } from "vitest";

import { readConfig } from "../../connection/config-file.ts";
import { findByMark, identify, isAlive } from "../../installation/local/process-table.ts";
import { StateFiles } from "../../installation/state-files.ts";
import { Mortal } from "../../installation/testing/mortal.ts";
import { fakeContext } from "../../testing/fake-context.ts";
import { TestHome } from "../../testing/test-home.ts";
import { takeDown } from "../down/take-down.ts";
import { bringUp } from "./bring-up.ts";

const program = fileURLToPath(new URL("../../main.ts", import.meta.url));
/** Of the sources, which the server runs from. */
const version = "0.1.0";
const upFlags = { plan: false, list: false };
const downFlags = { yes: true, deleteData: true };

/** A machine of somebody who has nothing yet; whatever still runs there in the end is ended. */
async function newMachine() {
  const home = await TestHome.create();
  const environment = { HOME: home.folder, BOWLINE_CONFIG: home.configFile, PATH: process.env["PATH"] };
  const listen = `127.0.0.1:${await freePort("127.0.0.1")}`;
  const data = join(home.folder, "data");
  const servers = async (): Promise<number> => {
    const installation = (await new StateFiles(environment).read("local"))?.state?.installation;
    return installation === undefined ? 0 : (await findByMark("BOWLINE_INSTALLATION", installation)).length;
  };
  const pid = async (): Promise<number> => {
    const text = await readFile(join(data, "server.pid"), "utf8").catch(() => '{"pid":0}');
    return (JSON.parse(text) as { readonly pid: number }).pid;
  };
  onTestFinished(async () => {
    await home.run(["down", "local", "--yes", "--delete-data", "--data", data]);
    await home[Symbol.asyncDispose]();
  });
  const context = (): ReturnType<typeof fakeContext> => ({ ...fakeContext({ client: {} }), environment });
  const up = (mortal: Mortal): Promise<void> =>
    bringUp(context(), { ...upFlags, listen, data }, { call: mortal.call, files: mortal.files(environment) });
  const down = (mortal: Mortal): Promise<void> =>
    takeDown(context(), "local", downFlags, { call: mortal.call, files: mortal.files(environment) });
  return { home, environment, listen, data, servers, pid, up, down };
}

type Machine = Awaited<ReturnType<typeof newMachine>>;

async function expectUp(machine: Machine): Promise<void> {
  expect(await machine.servers()).toBe(1);
  const { code, error } = await machine.home.run(["get", "clusters"]);
  expect([code, error]).toEqual([0, "No clusters found.\n"]);
  const contexts = (await readConfig(machine.environment)).contexts().map(({ name }) => name);
  expect(contexts).toEqual(["local"]);
}

async function expectNothing(machine: Machine): Promise<void> {
  expect((await readConfig(machine.environment)).contexts()).toEqual([]);
  const left = await readdir(machine.home.folder, { recursive: true });
  expect(left.filter((name) => !/^(?:config\.yaml|\.local(?:\/.*)?|\.config.*)$/u.test(name))).toEqual([]);
  expect(await new StateFiles(machine.environment).list()).toEqual([]);
}

const upCalls = [
  "the data folder",
  "the server process",
  "its pid file",
  "the configuration of the command line",
];
const downCalls = [
  "the end of the server process",
  "the pid file",
  "the data",
  "the configuration of the command line",
];

describe("up that is killed", () => {
  test.each(upCalls.map((subject, at) => [subject, at] as const))(
    "after %s goes on with one of each, and down leaves nothing",
    async (subject, at) => {
      const machine = await newMachine();
      const mortal = new Mortal(at);
      await expect(machine.up(mortal)).rejects.toThrow("exit code 1");
      expect([mortal.isDead, mortal.calls.at(-1)]).toEqual([true, subject]);
      const before = await machine.servers();
      const again = new Mortal();
      await machine.up(again);
      expect(again.calls.includes("the server process")).toBe(before === 0);
      await expectUp(machine);
      await machine.down(new Mortal());
      await expectNothing(machine);
    },
  );

  test("by a signal, wherever it is, goes on as well", async () => {
    const machine = await newMachine();
    const args = [program, "up", "--listen", machine.listen, "--data", machine.data];
    for (const waitMs of [100, 400, 700, 1_000]) {
      const child = spawn(process.execPath, args, { env: machine.environment, stdio: "ignore" });
      const forget = reapOnExit({ kind: "process-group", pid: child.pid ?? 0, signal: "SIGKILL" });
      const ended = once(child, "exit");
      setTimeout(() => child.kill("SIGKILL"), waitMs);
      await ended;
      forget();
      expect(await machine.servers()).toBeLessThanOrEqual(1);
    }
    const { code } = await machine.home.run(args.slice(1), { version });
    expect(code).toBe(0);
    await expectUp(machine);
  });
});

describe("down that is killed", () => {
  test.each(downCalls.map((subject, at) => [subject, at] as const))(
    "after %s takes the rest away the next time",
    async (subject, at) => {
      const machine = await newMachine();
      await machine.up(new Mortal());
      const mortal = new Mortal(at);
      await expect(machine.down(mortal)).rejects.toThrow("killed");
      expect([mortal.isDead, mortal.calls.at(-1)]).toEqual([true, subject]);
      await machine.down(new Mortal());
      await expectNothing(machine);
    },
  );
});

test("up is up already, down keeps the data, and up goes on with it", async () => {
  const machine = await newMachine();
  const { home, listen, data } = machine;
  const up = await home.run(["up", "--listen", listen, "--data", data]);
  expect([up.code, up.out]).toEqual([0, expect.stringContaining(`at https://${listen}`)]);
  expect(up.error).toMatch(/^✓ preflight +\d+\.\ds {2}127[^]*✓ save/u);
  const again = await home.run(["up"], { version });
  expect([again.code, again.out]).toEqual([0, `"local" is up already, at https://${listen}.\n`]);
  const other = await home.run(["up", "--listen", "127.0.0.1:1"]);
  expect([other.code, other.error]).toEqual([1, expect.stringContaining("runs with other settings")]);
  expect((await home.run(["up", "--list"])).out).toMatch(/local +local +up +https/u);
  expect(await readFile(join(data, "server.log"), "utf8")).not.toContain("bwl_");
  const token = await readFile(join(data, "admin.token"), "utf8");
  const [pid, identity] = [await machine.pid(), await identify(await machine.pid())];
  const unasked = await home.run(["down"]);
  expect([unasked.code, unasked.error]).toEqual([2, expect.stringContaining("--yes")]);
  const declined = await home.run(["down"], { isTty: true, answers: ["n"] });
  expect([declined.code, declined.error]).toEqual([0, expect.stringContaining("Nothing was done.")]);
  const down = await home.run(["down"], { isTty: true, answers: ["y"] });
  expect([down.code, down.out]).toEqual([0, '"local" is gone.\n']);
  expect(down.error).toContain(`Left: the data in ${data}`);
  expect(identity !== undefined && pid > 0 && (await isAlive(identity))).toBe(false);
  const twice = await home.run(["down", "--yes"]);
  expect([twice.code, twice.out]).toEqual([0, "Nothing is there to take away.\n"]);
  expect((await home.run(["up", "--listen", listen, "--data", data])).code).toBe(0);
  expect(await readFile(join(data, "admin.token"), "utf8")).toBe(token);
  await expectUp(machine);
});

test("up of another version than what runs is refused, and says what to do", async () => {
  const machine = await newMachine();
  await machine.up(new Mortal());
  const before = await machine.pid();
  for (const [other, sentence] of [
    ["0.2.0", "`bowline upgrade local`"],
    ["0.0.9", "use that version of bowline"],
  ] as const) {
    const { code, error } = await machine.home.run(["up"], { version: other });
    expect([code, error]).toEqual([1, expect.stringContaining(sentence)]);
    expect(await machine.pid()).toBe(before);
  }
  expect(await machine.home.run(["up"], { version })).toMatchObject({ code: 0 });
});

test("down works with half a state file, and without one by the data folder", async () => {
  const machine = await newMachine();
  const { home, listen, data } = machine;
  const path = new StateFiles(machine.environment).path("local");
  for (const damage of [
    () => writeFile(path, '{"version":1,"target":'),
    () => writeFile(path, JSON.stringify({ target: { type: "local", data } })),
    () => rm(path),
  ]) {
    await home.run(["up", "--listen", listen, "--data", data]);
    const identity = await identify(await machine.pid());
    if (identity === undefined) throw new Error("The server does not run.");
    await damage();
    const refused = await home.run(["up", "--data", data]);
    expect(refused.code).not.toBe(0);
    const { code, out } = await home.run(["down", "local", "--yes", "--data", data, "--delete-data"]);
    expect([code, out]).toEqual([0, '"local" is gone.\n']);
    expect(await isAlive(identity)).toBe(false);
    await home.run(["context", "delete", "local"]);
  }
});

test("a pid that is another process by now is not touched", async () => {
  const machine = await newMachine();
  const bystander = spawn("sleep", ["600"], { stdio: "ignore" });
  const forget = reapOnExit({ kind: "process-group", pid: bystander.pid ?? 0, signal: "SIGKILL" });
  onTestFinished(() => {
    bystander.kill("SIGKILL");
    forget();
  });
  await machine.up(new Mortal(0)).catch(() => undefined);
  const file = join(machine.data, "server.pid");
  await writeFile(file, JSON.stringify({ pid: bystander.pid, startedAt: "another boot/1" }));
  await machine.down(new Mortal());
  expect(bystander.exitCode).toBeNull();
  expect(await identify(bystander.pid ?? 0)).toBeDefined();
});

describe("up that fails", () => {
  test("before it made anything leaves the configuration as it was, and the name free", async () => {
    const machine = await newMachine();
    const { home, data } = machine;
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as { readonly port: number };
    await writeFile(home.configFile, "# mine\n");
    const { code, error } = await home.run(["up", "--listen", `127.0.0.1:${port}`, "--data", data]);
    expect(code).toBe(2);
    expect(error).toContain(`The server cannot listen on 127.0.0.1:${port}`);
    expect(error).toMatch(/preflight\. Nothing was made; put that right and run it again\.\n$/u);
    expect(await readFile(home.configFile, "utf8")).toBe("# mine\n");
    expect((await home.run(["up", "--list"])).error).toContain("Nothing was set up from this machine");
    expect((await home.run(["up", "--listen", machine.listen, "--data", data])).code).toBe(0);
    await expectUp(machine);
  });

  test("as the server ends says why", async () => {
    const machine = await newMachine();
    await machine.up(new Mortal(0)).catch(() => undefined);
    await writeFile(
      join(machine.data, "bowline.db"),
      "this is no database, whatever its name says".repeat(100),
    );
    const { code, error } = await machine.home.run(["up"]);
    expect(code).toBe(1);
    expect(error).toMatch(/error: The server ended before it was ready: .*database/u);
    expect(error).toContain("Take it away: bowline down local");
  });

  test("for a context of that name is in nobody's way", async () => {
    const { home, listen } = await newMachine();
    await writeFile(home.configFile, "contexts: [{name: local, server: 'https://other.example'}]\n");
    const { code, error } = await home.run(["up", "--listen", listen]);
    expect([code, error]).toEqual([
      1,
      expect.stringContaining("for https://other.example; choose another --name"),
    ]);
    expect(await readFile(home.configFile, "utf8")).toContain("other.example");
  });
});

test("of two at once the second is refused", async () => {
  const { home, listen, data } = await newMachine();
  const args = ["up", "--listen", listen, "--data", data];
  const both = await Promise.all([home.run(args), home.run(args)]);
  expect(both.map(({ code }) => code).toSorted((a, b) => a - b)).toEqual([0, 1]);
  expect(both.map(({ error }) => error).join("")).toContain('works on "local" right now');
});

describe("down with the data of a server that has made clusters", () => {
  async function withCluster(): Promise<Machine> {
    const machine = await newMachine();
    await machine.up(new Mortal());
    const file = join(machine.home.folder, "config.yaml.cluster");
    const spec = { provider: "kind", kind: { nodes: 1 } };
    await writeFile(file, JSON.stringify({ kind: "Cluster", metadata: { name: "made-here" }, spec }));
    expect(await machine.home.run(["create", "-f", file])).toMatchObject({ code: 0 });
    await rm(file);
    return machine;
  }

  test("is refused, as nobody else knows what belongs to them, unless it is forced", async () => {
    const machine = await withCluster();
    const refused = await machine.home.run(["down", "local", "--yes", "--delete-data"]);
    expect([refused.code, refused.error]).toEqual([1, expect.stringMatching(/made clusters[^]*made-here/u)]);
    expect(await machine.servers()).toBe(1);
    const forced = await machine.home.run(["down", "local", "--yes", "--delete-data", "--force"]);
    expect([forced.code, forced.out]).toEqual([0, '"local" is gone.\n']);
    await expectNothing(machine);
  });

  test("is refused as well where the server answers, and does not let it see them", async () => {
    const machine = await withCluster();
    expect(await machine.home.run(["delete", "token/admin", "--yes"])).toMatchObject({ code: 0 });
    const refused = await machine.home.run(["down", "local", "--yes", "--delete-data"]);
    expect([refused.code, refused.error]).toEqual([1, expect.stringMatching(/may not see[^]*--force/u)]);
    expect(await machine.servers()).toBe(1);
    expect(await machine.home.run(["down", "local", "--yes", "--delete-data", "--force"])).toMatchObject({
      code: 0,
    });
  });
});
