import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { systemClock, type Clock } from "@bowline/core";
import { startKubesim, type Kubesim } from "@bowline/kubesim";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { readConfig } from "../../connection/config-file.ts";
import { Mortal } from "../../installation/testing/mortal.ts";
import { giveStorage, SimulatedPods } from "../../installation/testing/simulated-pods.ts";
import { StateFiles } from "../../installation/state-files.ts";
import { fakeContext } from "../../testing/fake-context.ts";
import type { Ran } from "../../testing/run-bowline.ts";
import { TestHome } from "../../testing/test-home.ts";
import { takeDown } from "../down/take-down.ts";
import { upgradeInstallation } from "../upgrade/upgrade-installation.ts";
import { bringUp } from "./bring-up.ts";

let sim: Kubesim;
let home: TestHome;
let pods: SimulatedPods;
let kubeconfig: string;
const environment = (): Record<string, string> => ({ HOME: home.folder, BOWLINE_CONFIG: home.configFile });

async function openCluster(version?: string): Promise<void> {
  const users = { "guest-token": { name: "guest", groups: ["system:authenticated"] } };
  sim = await startKubesim({ nodes: 1, users, ...(version === undefined ? {} : { version }) });
  home = await TestHome.create();
  kubeconfig = join(home.folder, "kubeconfig");
  await writeFile(kubeconfig, sim.kubeconfig());
  giveStorage(sim);
  pods = new SimulatedPods(sim, kubeconfig);
}

async function closeCluster(): Promise<void> {
  await pods[Symbol.asyncDispose]();
  await sim.stop();
  await home[Symbol.asyncDispose]();
}

beforeEach(() => openCluster());
afterEach(closeCluster);

function up(mortal: Mortal, more: object = {}): Promise<void> {
  const flags = { plan: false, list: false, kubeconfig, ...more };
  const effects = { call: mortal.call, files: mortal.files(environment()), openWay: pods.openWay };
  return bringUp({ ...fakeContext({ client: {} }), environment: environment() }, flags, effects);
}

function down(mortal: Mortal, more: object = {}): Promise<void> {
  const effects = { call: mortal.call, files: mortal.files(environment()) };
  const flags = { yes: true, deleteData: true, ...more };
  const context = { ...fakeContext({ client: {} }), environment: environment() };
  return takeDown(context, "bowline", flags, effects);
}

const rbac = "rbac.authorization.k8s.io";
const resources = [
  "services",
  "serviceaccounts",
  "secrets",
  "persistentvolumeclaims",
  "pods",
  "namespaces",
  "statefulsets.apps",
  "deployments.apps",
  "leases.coordination.k8s.io",
  "networkpolicies.networking.k8s.io",
  ...["roles", "rolebindings", "clusterroles", "clusterrolebindings"].map((kind) => `${kind}.${rbac}`),
  "customresourcedefinitions.apiextensions.k8s.io",
];

/** Everything that carries the mark, or is in the namespace. */
function marked(): string[] {
  return resources.flatMap((resource) =>
    [...sim.api.list(resource)]
      .filter(({ metadata }) => metadata.labels?.["bowline.dev/installation-name"] === "bowline")
      .map(({ metadata }) => `${resource.split(".", 1)[0]}/${metadata.name}`),
  );
}

async function targetRecord(): Promise<unknown> {
  return (await new StateFiles(environment()).read("bowline"))?.state?.target;
}

function expectNothing(): void {
  expect(marked()).toEqual([]);
  expect([...sim.api.list("namespaces")].map(({ metadata }) => metadata.name)).not.toContain(
    "bowline-system",
  );
}

const allObjects = [
  "clusterrolebindings/bowline-system:bowline-agent",
  "clusterroles/bowline-system:bowline-agent",
  "customresourcedefinitions/workloads.bowline.dev",
  "deployments/bowline-agent",
  "leases/bowline-agent",
  "namespaces/bowline-system",
  "networkpolicies/bowline",
  "rolebindings/bowline-agent",
  "roles/bowline-agent",
  "secrets/bowline-admin",
  "secrets/bowline-agent-join",
  "secrets/bowline-agent-key",
  "serviceaccounts/bowline",
  "serviceaccounts/bowline-agent",
  "services/bowline",
  "services/bowline-headless",
  "statefulsets/bowline",
];

/** How many calls there are, and which, is what the code says: the first run tells, and none may be forgotten. */
let upCalls: readonly string[] = [];
let downCalls: readonly string[] = [];

describe("in a simulated cluster", () => {
  test("up makes one of each and registers the cluster; down leaves nothing", async () => {
    const first = new Mortal();
    await up(first);
    upCalls = first.calls;
    expect(
      marked()
        .filter((name) => !name.startsWith("pods/"))
        .toSorted(),
    ).toEqual(allObjects);
    expect((await readConfig(environment())).contexts()).toMatchObject([
      { name: "bowline", server: "https://bowline.bowline-system.svc:7443" },
    ]);
    const state = (await new StateFiles(environment()).read("bowline"))?.state;
    expect(state?.resources.filter((resource) => resource.state !== "made")).toEqual([]);
    expect(JSON.stringify(state)).not.toContain("bwl_");
    const last = new Mortal();
    await down(last);
    downCalls = last.calls;
    expectNothing();
    expect((await readConfig(environment())).contexts()).toEqual([]);
    expect(await new StateFiles(environment()).list()).toEqual([]);
  });

  test("the agent gets its image by the Secrets that the server gets it by", async () => {
    await up(new Mortal(), { set: ["image.pullSecrets={registry,mirror}"] });
    const account = sim.api.get("serviceaccounts", "bowline-system", "bowline-agent");
    expect(account?.["imagePullSecrets"]).toEqual([{ name: "registry" }, { name: "mirror" }]);
  });

  test("killed after every single call, up goes on and makes one of each, and down leaves nothing", async () => {
    expect(upCalls.length).toBeGreaterThan(18);
    for (const [at, subject] of upCalls.entries()) {
      await closeCluster();
      await openCluster();
      const mortal = new Mortal(at);
      await expect(up(mortal)).rejects.toThrow("exit code 1");
      expect([mortal.isDead, mortal.calls.at(-1)]).toEqual([true, subject]);
      expect((await readConfig(environment())).contexts()).toHaveLength(at === upCalls.length - 1 ? 1 : 0);
      await up(new Mortal());
      expect(
        marked()
          .filter((name) => !name.startsWith("pods/"))
          .toSorted(),
      ).toEqual(allObjects);
      expect((await readConfig(environment())).contexts()).toHaveLength(1);
      await down(new Mortal());
      expectNothing();
    }
  }, 300_000);

  test("killed after every single call, up is taken away whole by down", async () => {
    for (const at of upCalls.keys()) {
      await closeCluster();
      await openCluster();
      await expect(up(new Mortal(at))).rejects.toThrow("exit code 1");
      await down(new Mortal());
      expectNothing();
      expect(await new StateFiles(environment()).list()).toEqual([]);
    }
  }, 300_000);

  test("killed after every single call, down takes the rest away the next time", async () => {
    expect(downCalls.length).toBeGreaterThan(15);
    for (const [at, subject] of downCalls.entries()) {
      await closeCluster();
      await openCluster();
      await up(new Mortal());
      const mortal = new Mortal(at);
      await expect(down(mortal)).rejects.toThrow("killed");
      expect([mortal.isDead, mortal.calls.at(-1)]).toEqual([true, subject]);
      await down(new Mortal());
      expectNothing();
    }
  }, 300_000);

  test("down that keeps the data says so, and the next up goes on with it", async () => {
    await up(new Mortal(), { register: false });
    const secret = (): unknown => sim.api.get("secrets", "bowline-system", "bowline-admin")?.["data"];
    const before = secret();
    const { code, error } = await home.run(["down", "bowline", "--yes"]);
    expect([code, error]).toEqual([0, expect.stringContaining("Left: Secret bowline-system/bowline-admin")]);
    expect(secret()).toEqual(before);
    await up(new Mortal(), { register: false });
    expect(secret()).toEqual(before);
  });

  test("down takes away what an earlier down had kept", async () => {
    await up(new Mortal(), { register: false });
    await down(new Mortal(), { deleteData: false });
    await up(new Mortal(), { register: false });
    const kept = await home.run(["down", "bowline", "--yes"]);
    expect(kept.error).toContain("Left: Secret bowline-system/bowline-admin");
    await up(new Mortal(), { register: false });
    await down(new Mortal());
    expectNothing();
  });

  test("up after a down that kept the data lets an agent of the same cluster join again", async () => {
    await up(new Mortal());
    await down(new Mortal(), { deleteData: false });
    await pods.endAgent();
    await up(new Mortal());
    expect((await readConfig(environment())).contexts()).toHaveLength(1);
  });

  test("up does not put another database in the place of one that is in use", async () => {
    await up(new Mortal(), { register: false });
    const before = marked();
    const postgres = ["--set", "database.postgres.existingSecret=postgres"];
    const { code, error } = await home.run(["up", "--kubeconfig", kubeconfig, "--no-register", ...postgres]);
    expect([code, error]).toEqual([
      2,
      expect.stringContaining("runs on SQLite, and on a PostgreSQL it would begin without its data"),
    ]);
    expect(marked()).toEqual(before);
    // The next one without flags is that of before.
    await up(new Mortal());
    expect(marked()).toEqual(expect.arrayContaining(before));
  });

  test("up of another version than what runs is refused, and nothing is changed", async () => {
    await up(new Mortal(), { register: false });
    const server = (): unknown => sim.api.get("statefulsets.apps", "bowline-system", "bowline")?.["spec"];
    const before = structuredClone(server());
    for (const [version, sentence] of [
      ["1.2.4", "`bowline upgrade bowline`"],
      ["1.2.2", "use that version of bowline"],
    ] as const) {
      const { code, error } = await home.run(["up", "--name", "bowline"], { version });
      expect([code, error]).toEqual([1, expect.stringContaining(sentence)]);
      expect(server()).toEqual(before);
    }
    await up(new Mortal(), { register: false });
  });

  test("upgrade does not either, and remembers the values from before", async () => {
    await up(new Mortal(), { register: false });
    const [before, record] = [marked(), await targetRecord()];
    const set = ["database.postgres.existingSecret=postgres"];
    const effects = { call: new Mortal().call, files: new StateFiles(environment()), openWay: pods.openWay };
    const context = { ...fakeContext({ client: {} }), environment: environment() };
    const flags = { backup: false, force: true, set };
    await expect(upgradeInstallation(context, "bowline", flags, effects)).rejects.toThrow(
      "on a PostgreSQL it would begin without its data",
    );
    expect([marked(), await targetRecord()]).toEqual([before, record]);
  });

  test("down tells of a PostgreSQL that nobody but its owner empties, and of keys that are gone", async () => {
    const metadata = { name: "bowline-system" };
    sim.api.create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata });
    for (const [flags, left] of [
      [[], "with all data"],
      [["--delete-data"], "without its encryption keys: empty it before another `up`"],
    ] as const) {
      // As soon as the keys are there: these pods have no PostgreSQL to start with.
      const set = ["database.postgres.existingSecret=postgres"];
      await expect(up(new Mortal(2), { set })).rejects.toThrow("exit code 1");
      const { code, error } = await home.run(["down", "bowline", "--yes", ...flags]);
      const database = `the PostgreSQL database that Secret bowline-system/postgres names, ${left}`;
      expect([code, error]).toEqual([0, expect.stringContaining(`Left: ${database}\n`)]);
    }
  });

  test("down finds everything by its labels where the notes are lost, or half of them", async () => {
    const path = new StateFiles(environment()).path("bowline");
    for (const damage of [() => rm(path), () => writeFile(path, '{"version":1,"tar')]) {
      await up(new Mortal(), { register: false });
      await damage();
      await home.run(["context", "delete", "bowline"]);
      const { code, out } = await home.run([
        "down",
        "bowline",
        "--yes",
        "--delete-data",
        "--kubeconfig",
        kubeconfig,
      ]);
      expect([code, out]).toEqual([0, '"bowline" is gone.\n']);
      expectNothing();
      await pods[Symbol.asyncDispose]();
      pods = new SimulatedPods(sim, kubeconfig);
    }
  });

  test("down leaves the definition of Workloads to the agent of another server", async () => {
    await up(new Mortal());
    const apiVersion = "rbac.authorization.k8s.io/v1";
    const metadata = { name: "other:bowline-agent", labels: { "app.kubernetes.io/name": "bowline-agent" } };
    sim.api.create(`clusterroles.${rbac}`, { apiVersion, kind: "ClusterRole", metadata, rules: [] });
    const { code, error } = await home.run(["down", "bowline", "--yes", "--delete-data"]);
    expect([code, error]).toEqual([
      0,
      "Left: CustomResourceDefinition workloads.bowline.dev, which another agent needs: ClusterRole other:bowline-agent\n",
    ]);
    expect(marked()).toEqual(["customresourcedefinitions/workloads.bowline.dev"]);
    sim.api.delete(`clusterroles.${rbac}`, undefined, metadata.name);
    await home.run(["down", "bowline", "--yes", "--delete-data", "--kubeconfig", kubeconfig]);
    expectNothing();
  });

  test("down leaves a namespace that it may not look into", async () => {
    await up(new Mortal(), { register: false });
    const fault = sim.faults.failRequests({ code: 403, resource: "configmaps" });
    const { code, error } = await home.run(["down", "bowline", "--yes", "--delete-data"]);
    expect([code, error]).toEqual([
      0,
      expect.stringMatching(/^Left: Namespace bowline-system, as nobody could look whether more is in it: /u),
    ]);
    fault.remove();
    await home.run(["down", "bowline", "--yes", "--delete-data", "--kubeconfig", kubeconfig]);
    expectNothing();
  });

  test("down of a cluster that does not answer says what it could not look at, and keeps the list", async () => {
    await up(new Mortal(), { register: false });
    await pods[Symbol.asyncDispose]();
    await sim.stop();
    const { code, error } = await home.run(["down", "bowline", "--yes"]);
    expect([code, error]).toEqual([
      1,
      expect.stringContaining("Not looked at: StatefulSet bowline-system/bowline"),
    ]);
    expect(error).toContain("Not looked at: the cluster: ");
    expect((await readConfig(environment())).contexts()).toEqual([]);
    expect((await new StateFiles(environment()).list()).map(({ name }) => name)).toEqual(["bowline"]);
    const forgotten = await home.run(["down", "bowline", "--yes", "--forget"]);
    expect([forgotten.code, forgotten.error]).toEqual([0, expect.stringContaining("Forgotten: StatefulSet")]);
    expect(await new StateFiles(environment()).list()).toEqual([]);
  });
});

describe("preflight refuses, and nothing is made", () => {
  const run = async (...args: readonly string[]): Promise<Ran> => {
    const ran = await home.run(["up", "--kubeconfig", kubeconfig, ...args]);
    expect(marked()).toEqual([]);
    return ran;
  };

  test("a cluster that is too old", async () => {
    await closeCluster();
    await openCluster("v1.19.16");
    expect(await run()).toMatchObject({ code: 2, error: expect.stringContaining("needs 1.20 or newer") });
  });

  test("a cluster without a default storage class", async () => {
    const classes = "storageclasses.storage.k8s.io";
    const names = Array.from(sim.api.list(classes), ({ metadata }) => metadata.name);
    for (const name of names) sim.api.delete(classes, undefined, name);
    const { code, error } = await run();
    expect([code, error]).toEqual([
      2,
      expect.stringContaining("no default storage class for the volume of SQLite; it has none at all"),
    ]);
    const named = await run("--set", "database.sqlite.storageClassName=slow");
    expect(named.error).toContain('no storage class "slow"');
  });

  test("an ingress class that is not there", async () => {
    const { error } = await run(
      "--set",
      "ingress.enabled=true,ingress.host=b.example,ingress.className=none",
    );
    expect(error).toContain('no ingress class "none"');
  });

  test("somebody without rights, each missing one named", async () => {
    await writeFile(kubeconfig, sim.kubeconfig({ name: "guest", token: "guest-token" }));
    const { code, error } = await run();
    expect(code).toBe(1);
    for (const right of [
      "get namespaces",
      "get, list, create, patch, delete statefulsets.apps in bowline-system",
      "get, list, create, patch, delete secrets in bowline-system",
      "get, create pods/portforward in bowline-system",
      "get, list, create, patch, delete clusterroles.rbac.authorization.k8s.io",
      "get, list, create, patch, delete customresourcedefinitions.apiextensions.k8s.io",
    ]) {
      expect(error).toContain(right);
    }
  });

  test("names that somebody else has", async () => {
    const metadata = { name: "bowline", namespace: "bowline-system" };
    sim.api.create("namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "bowline-system" },
    });
    sim.api.create("serviceaccounts", { apiVersion: "v1", kind: "ServiceAccount", metadata });
    const { code, error } = await run();
    expect([code, error]).toEqual([
      1,
      expect.stringContaining("ServiceAccount bowline-system/bowline. Nothing was changed"),
    ]);
  });
});

describe("up that waits in vain tells why", () => {
  /** Between two looks at the server that it waits for; limits of others are left as they are. */
  const lookAgainMs = 500;

  /** Time that passes by these looks alone, from the first on at which a pod is in its state for this reason. */
  function timeInTrouble(reason: string): Clock {
    let passedMs = 0;
    const isInTrouble = (): boolean =>
      JSON.stringify([...sim.api.list("pods", "bowline-system")]).includes(reason);
    return {
      ...systemClock,
      monotonicMs: () => passedMs,
      sleep: async (ms, signal) => {
        if (ms !== lookAgainMs) return systemClock.sleep(ms, signal);
        if (passedMs > 0 || isInTrouble()) passedMs += ms;
        return systemClock.sleep(20, signal);
      },
    };
  }

  test.each([
    ["an image that cannot be pulled", "image-pull-error", "ImagePullBackOff"],
    ["a server that crashes", "crash-loop", "CrashLoopBackOff"],
  ] as const)(
    "for %s, within half a minute",
    async (_, kind, reason) => {
      sim.nodes?.behaviour({ namespace: "bowline-system" }, { kind, runSeconds: 0 });
      await writeFile(home.configFile, "# mine\n");
      const clock = timeInTrouble(reason);
      const { code, error } = await home.run(["up", "--kubeconfig", kubeconfig], { clock });
      expect([code, error]).toEqual([1, expect.stringContaining(reason)]);
      expect(clock.monotonicMs()).toBeGreaterThan(0);
      expect(clock.monotonicMs()).toBeLessThan(30_000);
      expect(error).toContain("Take it away: bowline down bowline");
      expect(await readFile(home.configFile, "utf8")).toBe("# mine\n");
    },
    60_000,
  );

  test("and goes on when the image is put right", async () => {
    sim.nodes?.behaviour({ image: "registry.example.com/none:1" }, { kind: "image-pull-error" });
    await expect(up(new Mortal(), { image: "registry.example.com/none:1", register: false })).rejects.toThrow(
      "exit code 1",
    );
    await up(new Mortal(), { image: "registry.example.com/some:1", register: false });
    expect((await readConfig(environment())).contexts()).toHaveLength(1);
  }, 60_000);
});
