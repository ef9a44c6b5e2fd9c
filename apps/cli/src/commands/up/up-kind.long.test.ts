/**
 * `kind` and the engine are stand-ins, and the cluster is a simulated one: what is shown is what `up` and `down` make of
 * them. packages/providers has the tests of the provider itself.
 */
import { access, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { systemClock, type Clock } from "@bowline/core";
import { startKubesim, type Kubesim } from "@bowline/kubesim";
import { KindStandIn } from "@bowline/providers/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { readConfig } from "../../connection/config-file.ts";
import { Mortal } from "../../installation/testing/mortal.ts";
import { giveStorage, SimulatedPods } from "../../installation/testing/simulated-pods.ts";
import { StateFiles } from "../../installation/state-files.ts";
import { fakeContext } from "../../testing/fake-context.ts";
import { TestHome } from "../../testing/test-home.ts";
import { takeDown } from "../down/take-down.ts";
import { bringUp } from "./bring-up.ts";

let sim: Kubesim;
let home: TestHome;
let pods: SimulatedPods;
let standIn: KindStandIn;
let skippedMs: number;

/** What this provider says to wait between its rounds; limits of others are left as they are. */
const waitsMs: ReadonlySet<number> = new Set([2000, 10_100]);

/** Waits between rounds are left out: nothing happens in them here. */
const clock: Clock = {
  ...systemClock,
  now: () => systemClock.now() + skippedMs,
  sleep: async (ms, signal) => {
    if (!waitsMs.has(ms)) return systemClock.sleep(ms, signal);
    skippedMs += ms;
    return systemClock.sleep(5, signal);
  },
};

const environment = (): Record<string, string> => ({
  ...standIn.environment,
  HOME: home.folder,
  BOWLINE_CONFIG: home.configFile,
});

async function open(): Promise<void> {
  skippedMs = 0;
  sim = await startKubesim({ nodes: 1 });
  home = await TestHome.create();
  standIn = await KindStandIn.open();
  const kubeconfig = join(standIn.folder, "kubeconfig");
  await writeFile(kubeconfig, sim.kubeconfig());
  giveStorage(sim);
  pods = new SimulatedPods(sim, kubeconfig);
}

async function close(): Promise<void> {
  await pods[Symbol.asyncDispose]();
  await sim.stop();
  await standIn[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
}

beforeEach(open);
afterEach(close);

const context = () => ({ ...fakeContext({ client: {}, clock }), environment: environment() });

async function up(mortal = new Mortal(), more: object = {}): Promise<string> {
  const flags = { plan: false, list: false, kind: true, register: false, ...more };
  const ran = context();
  const effects = { call: mortal.call, files: mortal.files(environment()), openWay: pods.openWay };
  await bringUp(ran, flags, effects).catch((error: unknown) => {
    throw new Error(`${String(error)} ${ran.terminal.errors}`, { cause: error });
  });
  return ran.terminal.written;
}

async function down(mortal = new Mortal(), more: object = {}): Promise<string> {
  const flags = { yes: true, deleteData: true, ...more };
  const ran = context();
  await takeDown(ran, "bowline", flags, { call: mortal.call, files: mortal.files(environment()) });
  return ran.terminal.errors + ran.terminal.written;
}

const nodesOf = async (): Promise<number> => (await standIn.containers()).length;
const kubeconfigPath = (): string =>
  join(new StateFiles(environment()).clusterFolder("bowline"), "kubeconfig");

async function expectNothing(): Promise<void> {
  expect(await standIn.containers()).toEqual([]);
  expect(await new StateFiles(environment()).list()).toEqual([]);
  expect((await readConfig(environment())).contexts()).toEqual([]);
  await expect(access(kubeconfigPath())).rejects.toThrow("ENOENT");
}

async function expectUp(): Promise<void> {
  expect(await nodesOf()).toBe(1);
  const [entry] = (await readConfig(environment())).contexts();
  expect(entry).toMatchObject({ name: "bowline", kubernetes: { kubeconfig: kubeconfigPath() } });
}

/** The first run tells which calls there are. */
let downCalls: readonly string[] = [];

describe("in a cluster that kind makes", () => {
  test("up makes it, goes on as in any cluster and registers it; down leaves nothing", async () => {
    const archive = join(home.folder, "bowline.tar");
    await writeFile(archive, "");
    await up(new Mortal(), { register: true, nodes: "2", imageArchive: archive });
    expect(await nodesOf()).toBe(2);
    expect(await readFile(join(standIn.folder, "loaded"), "utf8")).toBe("bowline.tar\n");
    const state = (await new StateFiles(environment()).read("bowline"))?.state;
    expect(state).toMatchObject({
      target: { type: "kind", kind: { nodes: 2 }, imageArchive: archive },
      provided: [{ type: "kind:cluster", state: "ready" }],
    });
    const last = new Mortal();
    await down(last);
    downCalls = last.calls;
    await expectNothing();
  });

  test("the plan says what would be made, and makes nothing", async () => {
    const planned = await up(new Mortal(), { plan: true, nodes: "2" });
    expect(planned).toContain("in docker: a container for the control plane and 1 for other nodes");
    await expectNothing();
  });

  test("killed after every single call, up goes on by name alone, and down leaves nothing", async () => {
    const whole = new Mortal();
    await up(whole);
    expect(whole.calls.slice(0, 3)).toEqual([
      "the id of the installation",
      "create kind:cluster cluster",
      "the kubeconfig",
    ]);
    for (const [at, subject] of whole.calls.entries()) {
      await close();
      await open();
      const mortal = new Mortal(at);
      await expect(up(mortal)).rejects.toThrow("exit code 1");
      expect(mortal.calls.at(-1)).toBe(subject);
      await up(new Mortal(), { kind: undefined, name: "bowline" });
      await expectUp();
      await down();
      await expectNothing();
    }
  }, 300_000);

  test("killed after every single call, up is taken away whole by down, also by name alone", async () => {
    for (let cut = 0; cut < 6; cut += 1) {
      await expect(up(new Mortal(cut))).rejects.toThrow("exit code 1");
      // Without notes it is found by the mark on its containers; before the first of them there is nothing to find.
      await standIn.settled(home.folder);
      if (cut % 2 === 1) {
        await rm(new StateFiles(environment()).path("bowline"));
        await rm(join(dirname(kubeconfigPath()), "installation"), { force: true });
      }
      await down(new Mortal(), cut % 2 === 1 ? { kind: true } : {});
      await expectNothing();
      await close();
      await open();
    }
  }, 120_000);

  test("killed after every single call, down takes the rest away the next time", async () => {
    expect(downCalls.length).toBeGreaterThan(1);
    for (const [at, subject] of downCalls.entries()) {
      await up();
      const mortal = new Mortal(at);
      await expect(down(mortal)).rejects.toThrow("killed");
      expect(mortal.calls.at(-1)).toBe(subject);
      await down();
      await expectNothing();
      await close();
      await open();
    }
  }, 120_000);

  test("down without --delete-data keeps the cluster with its data, and the next up goes on with it", async () => {
    await up();
    const said = await down(new Mortal(), { deleteData: false });
    expect(said).toContain("Left: a kind cluster on this machine, with all data");
    expect(await nodesOf()).toBe(1);
    expect([...sim.api.list("statefulsets.apps", "bowline-system")]).toEqual([]);
    const secret = sim.api.get("secrets", "bowline-system", "bowline-admin")?.["data"];
    expect(secret).toBeDefined();
    await up();
    await expectUp();
    expect(sim.api.get("secrets", "bowline-system", "bowline-admin")?.["data"]).toEqual(secret);
    await down(new Mortal(), { deleteData: false });
    await down(new Mortal(), { kind: true });
    await expectNothing();
  });

  test("down while the engine does not answer keeps the list, and forgets on request", async () => {
    await up();
    await standIn.stop(true);
    await expect(down()).rejects.toThrow("exit code 1");
    expect((await new StateFiles(environment()).list()).map(({ name }) => name)).toEqual(["bowline"]);
    const said = await down(new Mortal(), { forget: true });
    expect(said).toContain("Forgotten: kind:cluster bowline-bowline-");
    expect(await nodesOf()).toBe(1);
    await standIn.stop(false);
    await down(new Mortal(), { kind: true });
    await expectNothing();
  });

  test("down of a cluster that is gone leaves nothing, and twice is fine", async () => {
    await up();
    await standIn.removeContainers();
    await down();
    await expectNothing();
    expect(await down()).toContain('No "bowline" is there to take away.');
  });
});

describe("what stands against it is told, and can be put right", () => {
  test("no engine: nothing was made, and the name is free", async () => {
    await standIn.uninstall("docker");
    await expect(up()).rejects.toThrow(/There is no container engine in PATH[^]*Nothing was made/);
    await expectNothing();
  });

  test("an image that cannot be pulled stops it; the same command goes on when it can", async () => {
    await standIn.fault("image", 'failed to pull image "kindest/node:v1.37.0"');
    await expect(up()).rejects.toThrow(
      /The image of the nodes could not be pulled[^]*It stopped in the phase infrastructure/,
    );
    await standIn.fault("image", undefined);
    await up();
    await expectUp();
  });

  test("settings that kind cannot have", async () => {
    await expect(up(new Mortal(), { nodes: "0" })).rejects.toThrow("spec.kind.nodes");
    await expect(up(new Mortal(), { nodes: "many" })).rejects.toThrow("spec.kind.nodes");
    await expectNothing();
  });
});
