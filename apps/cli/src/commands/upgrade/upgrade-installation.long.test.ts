import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { User } from "@bowline/api";
import { freePort } from "@bowline/test-services";
import { describe, expect, onTestFinished, test } from "vitest";

import { identify, isAlive } from "../../installation/local/process-table.ts";
import { StateFiles } from "../../installation/state-files.ts";
import { Mortal } from "../../installation/testing/mortal.ts";
import { fakeContext } from "../../testing/fake-context.ts";
import { TestHome } from "../../testing/test-home.ts";
import { bringUp } from "../up/bring-up.ts";
import { upgradeInstallation } from "./upgrade-installation.ts";

/** Of the sources, which the process runs from. */
const version = "0.1.0";
const flags = { backup: true, force: false };

/** A machine with a server that `bowline up` has set up. */
async function newMachine() {
  const home = await TestHome.create();
  const environment = { HOME: home.folder, BOWLINE_CONFIG: home.configFile, PATH: process.env["PATH"] };
  const data = join(home.folder, "data");
  const listen = `127.0.0.1:${await freePort("127.0.0.1")}`;
  onTestFinished(async () => {
    await home.run(["down", "local", "--yes", "--delete-data", "--data", data]);
    await home[Symbol.asyncDispose]();
  });
  const context = () => ({ ...fakeContext({ client: {} }), environment, version });
  const files = new StateFiles(environment);
  const pid = async (): Promise<string | undefined> =>
    (await files.read("local"))?.state?.resources.find(({ type }) => type === "process")?.attributes?.["pid"];
  const backups = join(home.folder, ".local", "state", "bowline", "backups");
  const upgrade = async (mortal: Mortal, more: object = {}): Promise<{ out: string; error: string }> => {
    const used = context();
    const effects = { call: mortal.call, files: mortal.files(environment) };
    await upgradeInstallation(used, undefined, { ...flags, ...more }, effects).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${used.terminal.errors}`, { cause: error });
    });
    return { out: used.terminal.written, error: used.terminal.errors };
  };
  const up = async (mortal: Mortal): Promise<void> => {
    const effects = { call: mortal.call, files: mortal.files(environment) };
    await bringUp(context(), { plan: false, list: false, listen, data }, effects);
  };
  await up(new Mortal());
  return { home, data, pid, backups, files, up, upgrade };
}

test("a server on this machine is replaced, after a backup, and knows what it knew", async () => {
  const machine = await newMachine();
  const user = { kind: "User", metadata: { name: "before" }, spec: { role: "viewer" } };
  expect(await machine.home.run(["apply", "-f", "-"], { stdin: JSON.stringify(user) })).toMatchObject({
    code: 0,
  });
  const before = await machine.pid();
  const { out } = await machine.upgrade(new Mortal());
  expect(out).toContain(`"local" went from ${version} to ${version}.`);
  expect(await machine.pid()).not.toBe(before);
  expect((await machine.home.run(["get", "users", "-o", "name"])).out).toContain("user/before");
  const [backup = ""] = await readdir(machine.backups);
  const verified = await machine.home.run(["backup", "verify", join(machine.backups, backup)]);
  expect([verified.code, verified.out]).toEqual([0, expect.stringContaining("is whole")]);
});

test("killed after every single call, the next upgrade goes on", async () => {
  const machine = await newMachine();
  const whole = new Mortal();
  await machine.upgrade(whole);
  expect(whole.calls).toEqual([
    "the end of the server process",
    "the pid file",
    "the server process",
    "its pid file",
  ]);
  for (const at of whole.calls.keys()) {
    await expect(machine.upgrade(new Mortal(at))).rejects.toThrow("killed");
    const before = await machine.pid();
    await machine.upgrade(new Mortal());
    expect(await machine.pid()).not.toBe(before);
    expect(await machine.home.run(["whoami"])).toMatchObject({ code: 0 });
  }
}, 120_000);

test("goes on after an upgrade that was interrupted, without another backup", async () => {
  const machine = await newMachine();
  await expect(machine.upgrade(new Mortal(0))).rejects.toThrow("killed");
  expect((await machine.files.read("local"))?.state?.upgrade).toEqual({ from: version, to: version });
  const { out } = await machine.upgrade(new Mortal());
  expect(out).toContain(`"local" went from ${version} to ${version}.`);
  expect(await readdir(machine.backups)).toHaveLength(1);
  expect((await machine.files.read("local"))?.state).not.toHaveProperty("upgrade");
});

describe("after an up that was interrupted", () => {
  async function interrupted() {
    const machine = await newMachine();
    const server = await identify(Number(await machine.pid()));
    if (server === undefined) throw new Error("The server does not run.");
    process.kill(server.pid, "SIGKILL");
    await expect.poll(() => isAlive(server)).toBe(false);
    await expect(machine.up(new Mortal(0))).rejects.toThrow("exit code 1");
    return machine;
  }

  test("it looks and makes a backup, as after one that was not", async () => {
    const machine = await interrupted();
    await expect.poll(async () => (await machine.home.run(["whoami"])).code).toBe(0);
    await machine.upgrade(new Mortal());
    expect(await readdir(machine.backups)).toHaveLength(1);
  });

  test("it says what goes on where no server answers, and changes nothing", async () => {
    const machine = await interrupted();
    const found = await machine.files.read("local");
    await machine.home.run(["down", "local", "--yes"]);
    if (found?.state !== undefined) await machine.files.write(found.state);
    await expect(machine.upgrade(new Mortal())).rejects.toThrow("`bowline up --name local`");
    expect((await machine.files.read("local"))?.state).toEqual(found?.state);
  });
});

test("a database that a newer version has changed is refused, forced or not, and nothing is changed", async () => {
  const machine = await newMachine();
  const database = new DatabaseSync(join(machine.data, "bowline.db"));
  database.exec(
    "insert into migrations select '9999-of-the-future', checksum, applied_at from migrations limit 1",
  );
  database.close();
  const before = await machine.pid();
  for (const force of [false, true]) {
    await expect(machine.upgrade(new Mortal(), { force })).rejects.toThrow("9999-of-the-future");
  }
  expect(await machine.pid()).toBe(before);
  expect(await machine.home.run(["get", User.plural])).toMatchObject({ code: 0 });
});

test("without an installation it says what else there is", async () => {
  const home = await TestHome.create();
  onTestFinished(() => home[Symbol.asyncDispose]());
  const { code, error } = await home.run(["upgrade"]);
  expect([code, error]).toEqual([1, expect.stringContaining("`helm upgrade`")]);
});
