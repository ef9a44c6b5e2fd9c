/**
 * AWS is a fake that the real SDK speaks to, and the cluster is a simulated one: what is shown is what `up` and `down`
 * make of them. packages/providers has the tests of the provider itself.
 */
import { access, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { Cluster } from "@bowline/api";
import type { Client } from "@bowline/client";
import { systemClock, type Clock } from "@bowline/core";
import { startKubesim, type Kubesim } from "@bowline/kubesim";
import { eksPolicy } from "@bowline/providers/eks-policy";
import { addLoadBalancer, addVolume, FakeAccount, testKey } from "@bowline/providers/testing/eks";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { readConfig } from "../../connection/config-file.ts";
import { clientFor } from "../../connection/connect-to-server.ts";
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
let account: FakeAccount;
let skippedMs: number;
/** Everything that was said to people. */
let said: string;
/** Each token that opened the cluster. */
let tokens: string[];

/** What this provider says to wait between its rounds; limits of others are left as they are. */
const waitsMs: ReadonlySet<number> = new Set([2_000, 5_000, 15_000, 20_000]);
/** Longer ones than any limit are for a control plane. */
const longestLimitMs = 60_000;
/** Somebody who connects waits so long for a certificate; a deletion waits so between its rounds, and connects nowhere so. */
const certificateMs = 10_000;
let isGoing: boolean;
/** So long a wait that was left out takes: longer than to connect, where a deletion does. */
let waitTakesMs: number;

/** Waits of the provider are left out, and AWS believes that they were: nothing else happens in them. */
const clock: Clock = {
  ...systemClock,
  now: () => systemClock.now() + skippedMs,
  sleep: async (ms, signal) => {
    const isWait = waitsMs.has(ms) || ms > longestLimitMs || (ms === certificateMs && isGoing);
    if (!isWait) return systemClock.sleep(ms, signal);
    skippedMs += ms;
    return systemClock.sleep(isGoing ? waitTakesMs : 1, signal);
  },
};

const environment = (): Record<string, string> => ({ HOME: home.folder, BOWLINE_CONFIG: home.configFile });

async function open(): Promise<void> {
  skippedMs = 0;
  isGoing = false;
  waitTakesMs = 1;
  said = "";
  tokens = [];
  sim = await startKubesim({ nodes: 1, anonymous: false });
  home = await TestHome.create();
  giveStorage(sim);
  const kubeconfig = join(home.folder, "admin");
  await writeFile(kubeconfig, sim.kubeconfig());
  pods = new SimulatedPods(sim, kubeconfig);
  account = await FakeAccount.open(clock, letIn);
  account.aws.world.settings.endpoint = () => ({ url: sim.url, caCert: sim.caCert });
}

/** The control plane lets in whoever has an access entry as an admin. */
function letIn(token: string, arn: string): void {
  const entry = account.aws.world.accessEntries.all.find(({ principalArn }) => principalArn === arn);
  if (entry?.policies.size !== 1) return;
  tokens.push(token);
  sim.addUser(token, { name: arn, groups: ["system:masters"] });
}

async function close(): Promise<void> {
  await pods[Symbol.asyncDispose]();
  await sim.stop();
  await account[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
}

// To load them takes longer than somebody who connects waits.
beforeAll(() => Promise.all([import("@bowline/server"), import("@bowline/agent")]), 120_000);
beforeEach(open);
afterEach(close);

const context = () => ({ ...fakeContext({ client: {}, clock }), environment: environment() });

const effectsOf = (mortal: Program) => ({
  call: mortal.call,
  files: mortal.files(environment()),
  openWay: pods.openWay,
  aws: account.api,
});

type Program = Pick<Mortal, "call" | "files">;

const plain = (mortal: Mortal): Program => ({
  call: mortal.call,
  files: (variables) => mortal.files(variables),
});

async function up(mortal: Program = new Mortal(), more: object = {}): Promise<string> {
  const flags = { plan: false, list: false, eks: true, region: "eu-west-1", register: false, ...more };
  const ran = context();
  isGoing = false;
  await bringUp(ran, flags, effectsOf(mortal))
    .catch((error: unknown) => {
      throw new Error(`${String(error)} ${ran.terminal.errors}`, { cause: error });
    })
    .finally(() => (said += ran.terminal.errors + ran.terminal.written));
  return ran.terminal.written;
}

async function down(mortal: Program = new Mortal(), more: object = {}): Promise<string> {
  const ran = context();
  isGoing = true;
  await takeDown(ran, "bowline", { yes: true, deleteData: true, ...more }, effectsOf(mortal))
    .catch((error: unknown) => {
      throw new Error(`${String(error)} ${ran.terminal.errors}`, { cause: error });
    })
    .finally(() => (said += ran.terminal.errors + ran.terminal.written));
  return ran.terminal.errors + ran.terminal.written;
}

/** Goes on by its name alone. */
const again = (): Promise<string> => up(new Mortal(), { eks: undefined, region: undefined, name: "bowline" });
const byTag = { eks: true, region: "eu-west-1" };
const folder = (): string => new StateFiles(environment()).clusterFolder("bowline");
const awsName = (): string => account.aws.world.clusters.all[0]?.id ?? "";

/** The server in the cluster, as its admin. */
async function serverClient(): Promise<Client> {
  const [entry] = (await readConfig(environment())).contexts();
  if (entry === undefined) throw new Error("There is no context.");
  return clientFor(context(), {
    server: entry.server,
    token: entry.token,
    caPem: entry.caPem,
    openStream: await pods.openWay(),
  });
}

/** As on another machine. */
async function loseNotes(): Promise<void> {
  await rm(home.configFile, { force: true });
  await rm(new StateFiles(environment()).path("bowline"));
  await rm(dirname(join(folder(), "installation")), { recursive: true, force: true });
}

/** As of a file that was written over: every second thing of the provider is not in it. */
async function loseHalf(): Promise<void> {
  const path = new StateFiles(environment()).path("bowline");
  const state: { provided: unknown[] } = JSON.parse(await readFile(path, "utf8"));
  const provided = state.provided.filter((_, at) => at % 2 === 0);
  await writeFile(path, JSON.stringify({ ...state, provided }));
}

async function expectNothing(): Promise<void> {
  expect(account.everything()).toEqual({});
  expect(await new StateFiles(environment()).list()).toEqual([]);
  expect((await readConfig(environment())).contexts()).toEqual([]);
  await expect(access(folder())).rejects.toThrow("ENOENT");
}

const whole = {
  vpcs: 1,
  subnets: 4,
  internetGateways: 1,
  addresses: 1,
  natGateways: 1,
  routeTables: 2,
  roles: 2,
  clusters: 1,
  accessEntries: 1,
  nodegroups: 1,
};

async function expectUp(): Promise<void> {
  expect(account.everything()).toMatchObject(whole);
  const [entry] = (await readConfig(environment())).contexts();
  expect(entry).toMatchObject({ name: "bowline", kubernetes: { kubeconfig: join(folder(), "kubeconfig") } });
}

describe("in a cluster of EKS that it makes", { timeout: 240_000 }, () => {
  test("up makes it, goes on as in any cluster and registers it; down leaves nothing", async () => {
    const written = await up(new Mortal(), { register: true, nodes: "1", maxNodes: "3" });
    await expectUp();
    expect(written).toContain("Bowline runs on an EKS cluster in eu-west-1");
    expect(written).toContain("It costs about 0.241 US dollars an hour");
    expect(account.aws.world.nodegroups.all).toMatchObject([{ scaling: { minSize: 1, maxSize: 3 } }]);
    const state = (await new StateFiles(environment()).read("bowline"))?.state;
    expect(state).toMatchObject({ target: { type: "eks", region: "eu-west-1" } });
    const deployments = [...sim.api.list("deployments.apps", "bowline-system")];
    expect(deployments.map(({ metadata }) => metadata.name)).toEqual(["bowline-agent"]);
    await down();
    await expectNothing();
    expect(await down()).toContain('No "bowline" is there to take away.');
  });

  test("the plan says what would be made and what it costs, and makes nothing", async () => {
    const planned = await up(new Mortal(), { plan: true, nodeType: "m7g.large", nodes: "3" });
    expect(planned).toContain("Create the VPC");
    expect(planned).toContain("Create the nodes nodes");
    expect(planned).toContain("About 0.39 US dollars an hour");
    await expectNothing();
  });

  test("killed after every single call, up goes on by name alone to one of each, and down leaves nothing", async () => {
    const first = new Mortal();
    await up(first);
    const calls = first.calls;
    expect(calls.slice(0, 2)).toEqual(["the id of the installation", "create ec2:vpc vpc"]);
    expect(calls.length).toBeGreaterThan(30);
    for (const [at, subject] of calls.entries()) {
      await close();
      await open();
      const mortal = new Mortal(at);
      await expect(up(mortal)).rejects.toThrow("exit code 1");
      expect(mortal.calls.at(-1)).toBe(subject);
      await again();
      await expectUp();
      // What is taken away after any cut has a test of its own.
      if (at % 8 !== 0) continue;
      await down();
      await expectNothing();
    }
  }, 1_800_000);

  test("killed after any call, up is taken away whole by down: with its notes, with half of them, by tags alone", async () => {
    const first = new Mortal();
    await up(first);
    const last = first.calls.length;
    for (let cut = 0; cut < last; cut += 3) {
      await close();
      await open();
      await expect(up(new Mortal(cut))).rejects.toThrow("exit code 1");
      const way = (cut / 3) % 3;
      if (way === 1) await loseHalf();
      if (way === 2) await loseNotes();
      await down(new Mortal(), way === 2 ? byTag : {});
      await expectNothing();
    }
  }, 1_800_000);

  test("killed after every single call, down takes the rest away the next time", async () => {
    await up();
    const first = new Mortal();
    await down(first);
    expect(first.calls.length).toBeGreaterThan(10);
    for (const [subject, calls] of Map.groupBy(first.calls, (call) => call)) {
      // What is asked again and again stands for itself after the second time.
      for (const occurrence of [1, 2].slice(0, calls.length)) {
        await close();
        await open();
        await up();
        await expect(down(new Mortal({ subject, occurrence }))).rejects.toThrow(`killed after ${subject}`);
        await down();
        await expectNothing();
      }
    }
  }, 1_800_000);
});

describe("down of a cluster that is up", { timeout: 240_000 }, () => {
  test("takes load balancers and volumes away through the cluster first", async () => {
    await up();
    const takeAway = addLoadBalancer(account.aws.world, awsName(), "a1b2");
    const volume = addVolume(account.aws.world, awsName());
    const service = sim.api.create("services", {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "shop", namespace: "default" },
      spec: { type: "LoadBalancer", ports: [{ port: 80 }] },
    });
    sim.api.create("persistentvolumeclaims", {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "data", namespace: "default" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
    // As the controllers of the cluster do it.
    const cloud = setInterval(() => {
      if (sim.api.get("services", "default", "shop") === undefined) takeAway();
      if (sim.api.get("persistentvolumeclaims", "default", "data") === undefined) volume.remove();
    }, 5);
    expect(service.metadata.name).toBe("shop");
    await down().finally(() => clearInterval(cloud));
    expect(sim.api.get("services", "default", "shop")).toBeUndefined();
    await expectNothing();
  });

  test("of one whose control plane does not answer needs nothing of it, and deletes its volumes from outside", async () => {
    await up();
    addVolume(account.aws.world, awsName());
    const foreign = account.aws.world.volumes.add({
      ...account.aws.world.thing("vol-theirs", account.aws.world.arn("ec2", "volume/vol-theirs"), {
        owner: "them",
      }),
      state: "available",
    });
    account.aws.world.settings.endpoint = () => ({ url: "https://127.0.0.1:1", caCert: sim.caCert });
    await down();
    expect(account.everything()).toEqual({ volumes: 1 });
    expect(account.aws.world.volumes.all).toEqual([foreign]);
  });

  test("names the load balancers that only somebody else can delete then, keeps its list, and goes on", async () => {
    await up();
    const takeAway = addLoadBalancer(account.aws.world, awsName(), "a1b2");
    account.aws.world.settings.endpoint = () => ({ url: "https://127.0.0.1:1", caCert: sim.caCert });
    await expect(down()).rejects.toThrow(/load balancer a1b2[^]*ec2:vpc vpc-/);
    takeAway();
    await down();
    await expectNothing();
  });

  test("without --delete-data keeps the cluster with its data, says what it costs, and the next up goes on", async () => {
    await up();
    const token = sim.api.get("secrets", "bowline-system", "bowline-admin")?.["data"];
    const left = await down(new Mortal(), { deleteData: false });
    expect(left).toContain("`bowline down bowline --eks --region eu-west-1 --delete-data` takes it away");
    expect(left).toContain("It costs about 0.337 US dollars an hour");
    expect([...sim.api.list("statefulsets.apps", "bowline-system")]).toEqual([]);
    await up();
    await expectUp();
    expect(sim.api.get("secrets", "bowline-system", "bowline-admin")?.["data"]).toEqual(token);
    await down();
    await expectNothing();
  });

  test("refuses while its server has clusters that it has made, unless it is forced", async () => {
    await up(new Mortal(), { register: true });
    const spec = { provider: "kind", kind: { nodes: 1 } } as const;
    const body = { metadata: { name: "made-here" }, spec } as const;
    const client = await serverClient();
    await client.apply(Cluster, "made-here", body);
    await client.close();
    const before = account.everything();
    await expect(down(new Mortal(), { deleteData: true })).rejects.toThrow(/made clusters[^]*made-here/);
    expect(account.everything()).toEqual(before);
    await loseNotes();
    waitTakesMs = 2_000;
    await expect(down(new Mortal(), byTag)).rejects.toThrow(/made clusters[^]*made-here/);
    waitTakesMs = 1;
    await down(new Mortal(), { ...byTag, force: true });
    await expectNothing();
  });

  test("by tags alone takes nothing of another name, of a server, or without tags", async () => {
    await up();
    const before = account.everything();
    await loseNotes();
    const ran = context();
    isGoing = true;
    await takeDown(ran, "other", { yes: true, deleteData: true, ...byTag }, effectsOf(new Mortal()));
    expect(account.everything()).toEqual(before);
    await expect(up()).rejects.toThrow(/There is an installation "bowline" in eu-west-1 already/);
    expect(account.everything()).toEqual(before);
    await down(new Mortal(), byTag);
    await expectNothing();
  });
});

describe("what stands against it is told, and can be put right", { timeout: 240_000 }, () => {
  test("what is missing before it begins: nothing was made, and the name is free", async () => {
    account.aws.world.settings.quotas.addresses = 0;
    await expect(up()).rejects.toThrow(/0 of 0 elastic addresses[^]*Nothing was made/);
    await expectNothing();
    await expect(up(new Mortal(), { region: undefined })).rejects.toThrow("--region");
    await expect(up(new Mortal(), { nodes: "many" })).rejects.toThrow("spec.eks.nodeGroups");
    await expectNothing();
  });

  test("a quota that is hit at the third subnet: the same command goes on when there is more", async () => {
    const { quotas } = account.aws.world.settings;
    quotas.subnetsPerVpc = 2;
    await expect(up()).rejects.toThrow(
      /A quota of the account is used up[^]*It stopped in the phase infrastructure/,
    );
    expect(account.aws.world.subnets.all).toHaveLength(2);
    quotas.subnetsPerVpc = 200;
    await again();
    await expectUp();
  });

  test("a session that ends in the middle, of up and of down: it is told, and goes on with the next one", async () => {
    account.useSession();
    account.aws.world.settings.times.clusterMs = 3_600_000;
    const ends = new Mortal();
    const call: Mortal["call"] = async (subject, work) => {
      const result = await ends.call(subject, work);
      if (/cluster cluster$|delete eks:nodegroup/u.test(subject)) account.aws.principals.endSessions();
      return result;
    };
    await expect(up({ ...plain(ends), call })).rejects.toThrow(
      /ExpiredToken[^]*eks:cluster bowline-bowline-/,
    );
    account.useSession();
    await again();
    await expectUp();
    await expect(down({ ...plain(ends), call })).rejects.toThrow(/ExpiredToken[^]*ec2:vpc vpc-/);
    account.useSession();
    await down();
    await expectNothing();
  });

  test("the rights that the guide prints are enough for all of it", async () => {
    account.restrict(eksPolicy({ name: "bowline" }));
    await up();
    await expectUp();
    const id = (await new StateFiles(environment()).read("bowline"))?.state?.installation ?? "";
    account.restrict(eksPolicy({ name: "bowline", id, deletesVolumes: true }));
    addVolume(account.aws.world, awsName());
    account.aws.world.settings.endpoint = () => ({ url: "https://127.0.0.1:1", caCert: sim.caCert });
    await down();
    expect(account.everything()).toEqual({});
  });
});

test("keys and tokens are in no file, and in nothing that is said", { timeout: 240_000 }, async () => {
  account.useSession();
  const secrets = (): string[] => [
    testKey.secretAccessKey,
    account.key.secretAccessKey,
    account.key.sessionToken ?? "",
    ...tokens,
  ];
  const read = async (): Promise<string> => {
    const files = await readdir(home.folder, { recursive: true, withFileTypes: true });
    const texts = files
      .filter((each) => each.isFile() && each.name !== "admin")
      .map((each) => readFile(join(each.parentPath, each.name), "utf8"));
    return (await Promise.all(texts)).join("\n");
  };
  await expect(up(new Mortal(30))).rejects.toThrow("exit code 1");
  const half = await read();
  await again();
  const kept = half + (await read());
  expect(kept).toContain('"eks-token"');
  account.aws.faults.plan({
    action: "ec2:DescribeTags",
    fault: {
      kind: "refuse",
      code: "SignatureDoesNotMatch",
      message: `The canonical string is ${testKey.secretAccessKey}`,
    },
  });
  await expect(down()).rejects.toThrow("SignatureDoesNotMatch");
  await down();
  expect(tokens.length).toBeGreaterThan(0);
  for (const secret of secrets()) {
    expect(kept).not.toContain(secret);
    expect(said).not.toContain(secret);
  }
});

test("the program of its kubeconfig makes a token of the AWS identity of the machine, for this cluster", async () => {
  const { accessKeyId, secretAccessKey } = testKey;
  const key = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
  const command = ["cluster", "eks-token", "bowline-bowline-0a1b2c", "--region", "eu-west-1"];
  const { out } = await home.run(command, { environment: { ...process.env, ...key } });
  const { kind, status }: { kind: string; status: { token: string } } = JSON.parse(out);
  expect(kind).toBe("ExecCredential");
  const url = new URL(Buffer.from(status.token.slice("k8s-aws-v1.".length), "base64url").toString("utf8"));
  expect(url.host).toBe("sts.eu-west-1.amazonaws.com");
  expect(account.aws.identify(url, { "x-k8s-aws-id": "bowline-bowline-0a1b2c" })).toContain("user/bowline");
  const nobody = { PATH: process.env["PATH"], AWS_EC2_METADATA_DISABLED: "true" };
  const refused = await home.run(command, { environment: nobody });
  expect(refused.error).toContain("AWS does not accept the credentials");
});
