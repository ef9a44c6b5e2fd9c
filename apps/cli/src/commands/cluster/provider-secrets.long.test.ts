/**
 * A cluster of each provider is made, with things going wrong on its way, in a real server: and a search for every
 * secret that had a part in it, wherever a server leaves traces. AWS, kind, its engine and Cluster API are stand-ins.
 */
import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";

import { isRecord, type Clock } from "@bowline/core";
import { startKubesim, type Kubesim } from "@bowline/kubesim";
import { connect, KubeClient, kubeconfigConnection } from "@bowline/kube";
import {
  KindStandIn,
  prepareManagementCluster,
  ReferenceClusterApi,
  worldNamespace as namespace,
} from "@bowline/providers/testing";
import { FakeAws } from "@bowline/test-aws";
import { expect, onTestFinished, test, vi } from "vitest";

import { AgentBench, responseTo } from "../../testing/agent-bench.ts";
import { fastClock } from "../../testing/fast-clock.ts";
import { watchProcesses } from "../../testing/process-watch.ts";
import { runBowline } from "../../testing/run-bowline.ts";
import { SecretTraces } from "../../testing/secret-traces.ts";

const timeout = 600_000;
/** Of the time of the server: a control plane takes minutes, and nobody waits for it here. */
const speed = 6;
const poll = { timeout: 240_000, interval: 300 };
/** Letters that other formats write in other ways. */
const canary = (name: string): string => `canary-${name}+"${randomBytes(12).toString("base64")}"/=`;
const plainCanary = (name: string): string => `canary-${name}-${randomBytes(12).toString("hex")}`;
const names = ["by-exec", "by-kind", "by-eks", "by-capi"] as const;

async function sim(): Promise<Kubesim> {
  const started = await startKubesim({ controllers: false });
  onTestFinished(() => started.stop());
  return started;
}

/** A way into that cluster with a token of its own. */
function wayIn(cluster: Kubesim, traces: SecretTraces, name: string): string {
  const token = plainCanary(name);
  traces.add(`the token of the kubeconfig of ${name}`, token);
  cluster.addUser(token, { name, groups: ["system:masters"] });
  return cluster.kubeconfig({ name, token });
}

/** A program whose cluster is there at once, and which says all that it knows each time that it fails. */
const program = (folder: string): string => `#!${process.execPath}
const { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const { action } = JSON.parse(readFileSync(0, "utf8"));
const key = process.env.SHOP_KEY, made = "${folder}/made", count = "${folder}/count";
appendFileSync(count, "x");
const state = existsSync(made) ? "ready" : action === "observe" ? "creating" : "ready";
if (readFileSync(count).length % 3 === 0) {
  console.error("with " + key + " or " + JSON.stringify({ key }) + " or " + encodeURIComponent(key) + " or " + Buffer.from(key).toString("base64"));
  if (action !== "credentials") console.log(JSON.stringify({ state: "creating", record: { key } }));
  process.exit(action === "observe" ? 0 : 3);
}
if (action === "credentials") console.log(JSON.stringify({ kubeconfig: readFileSync("${folder}/kubeconfig", "utf8") }));
else if (action === "plan") console.log(JSON.stringify({ message: "It is made with " + key }));
else if (action === "delete") { rmSync(made, { force: true }); console.log(JSON.stringify({ state: "gone" })); }
else { if (action === "next") writeFileSync(made, ""); console.log(JSON.stringify({ state, message: "made with " + key, record: { id: "c-1" } })); }
`;

/** Plays what others do in their own time. */
function repeated(act: () => Promise<void>): AsyncDisposable {
  const stop = new AbortController();
  const running = (async () => {
    while (!stop.signal.aborted) {
      await act();
      await setTimeout(poll.interval);
    }
  })();
  return {
    [Symbol.asyncDispose]: () => {
      stop.abort();
      return running;
    },
  };
}

async function openAws(traces: SecretTraces, clock: Clock, made: Kubesim): Promise<FakeAws> {
  const aws = await FakeAws.start({ clock });
  onTestFinished(() => aws[Symbol.asyncDispose]());
  aws.addPolicy("bowline-boundary");
  // Each session has keys of its own, which nobody knows before.
  const addKey = aws.principals.addKey.bind(aws.principals);
  vi.spyOn(aws.principals, "addKey").mockImplementation((...given) => {
    const key = addKey(...given);
    traces.add(`the secret of ${key.accessKeyId}`, key.secretAccessKey);
    if (key.sessionToken !== undefined) traces.add(`the session of ${key.accessKeyId}`, key.sessionToken);
    return key;
  });
  const { settings } = aws.world;
  settings.endpoint = () => ({ url: made.url, caCert: made.caCert });
  for (const time of Object.keys(settings.times) as (keyof typeof settings.times)[]) {
    settings.times[time] = 10_000;
  }
  return aws;
}

test("no secret of any provider is found where it does not belong", { timeout }, async () => {
  const traces = new SecretTraces();
  const lines: string[] = [];
  const [made, management] = await Promise.all([sim(), sim()]);
  const standIn = await KindStandIn.open();
  onTestFinished(() => standIn[Symbol.asyncDispose]());
  const clock = fastClock(speed);
  const aws = await openAws(traces, clock, made);
  vi.stubEnv("AWS_ENDPOINT_URL", aws.url);
  vi.stubEnv("PATH", `${standIn.environment["PATH"]}:${process.env["PATH"]}`);
  onTestFinished(() => void vi.unstubAllEnvs());

  const shop = join(standIn.folder, "shop");
  await mkdir(shop);
  await writeFile(join(shop, "make-shop"), program(shop), { mode: 0o755 });
  await writeFile(join(shop, "kubeconfig"), wayIn(made, traces, "by-exec"));
  await writeFile(join(standIn.folder, "kubeconfig"), wayIn(made, traces, "by-kind"));
  const shopKey = canary("shop");
  traces.add("the key of the shop", shopKey);
  await using watch = watchProcesses(traces, join(shop, "make-shop"));

  const flags = {
    "--provider-kind": "on",
    "--provider-programs": `shop=${join(shop, "make-shop")}`,
    "--agent-image": "bowline:test",
  };
  const bench = await AgentBench.open({ clock, flags, log: (line) => void lines.push(line) });
  const data = join(bench.folder, "server");
  const agent = await bench.startAgent(management.kubeconfig(), {
    joinToken: await bench.newJoinToken(),
    flags: ["--log-format", "json", "--log-level", "debug"],
    clock,
  });
  await bench.reachable(true);
  const admin = new KubeClient(connect(kubeconfigConnection(management.kubeconfig())));
  onTestFinished(() => admin.transport.close());
  await prepareManagementCluster(admin, ["v1beta2"]);
  const form = { version: "v1beta2" } as const;
  const clusterApi = new ReferenceClusterApi({ client: admin, form, namespace, name: "by-capi" });
  traces.add("the token of Cluster API", "token-1-of-by-capi");
  await using _playing = repeated(() => clusterApi.step());

  const shown: string[] = [];
  const ask = async (method: string, path: string, body?: object): Promise<string> => {
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    const sent = bench.request(path, { method, headers });
    const answer = await text(
      await responseTo(sent.end(body === undefined ? undefined : JSON.stringify(body))),
    );
    shown.push(`${method} ${path} ${answer}`);
    return answer;
  };
  const stateOf = async (name: string): Promise<unknown> => {
    const { status } = JSON.parse(await ask("GET", `/api/v1/clusters/${name}`));
    return isRecord(status) && isRecord(status["provisioning"]) ? status["provisioning"]["state"] : undefined;
  };
  const until = async (name: string, ...states: readonly unknown[]): Promise<void> => {
    await expect.poll(async () => states.includes(await stateOf(name)), poll).toBe(true);
  };

  const user = aws.addUser("bowline");
  const roleArn = aws.addAssumableRole("maker", { externalId: "x-1" });
  const credential = (name: string, type: string, values: Readonly<Record<string, string>>) =>
    ask("POST", "/api/v1/credentials", { metadata: { name }, spec: { type, data: values } });
  await credential("aws", "aws", {
    accessKeyId: user.accessKeyId,
    secretAccessKey: user.secretAccessKey,
    roleArn,
    externalId: "x-1",
  });
  await credential("shop", "opaque", { key: shopKey });
  // An answer that says what is wrong with a body does not repeat it.
  await credential("wrong", "aws", { accessKeyId: shopKey, secretAccessKey: shopKey, other: shopKey });
  await ask("POST", "/api/v1/credentials", {
    metadata: { name: "n" },
    spec: { type: "opaque", data: shopKey },
  });

  const exec = {
    command: "shop",
    timeout: "10m",
    env: [{ name: "SHOP_KEY", credential: "shop", key: "key" }],
  };
  const nodeGroups = [
    { name: "main", instanceType: "m7g.large", minSize: 1, maxSize: 3, capacity: "onDemand" },
  ];
  const topology = { class: "small", kubernetesVersion: "1.36.4", controlPlaneReplicas: 1 };
  const specs: Readonly<Record<(typeof names)[number], object>> = {
    "by-exec": { provider: "exec", exec },
    "by-kind": { provider: "kind", kind: { nodes: 1 } },
    "by-eks": {
      provider: "eks",
      region: "eu-west-1",
      eks: { credential: "aws", kubernetesVersion: "1.32", nodeGroups },
    },
    "by-capi": { provider: "clusterapi", clusterapi: { managementCluster: "edge", namespace, topology } },
  };
  // Things go wrong first.
  for (const kind of ["throttle", "error", "deny", "lose-answer"] as const) {
    aws.faults.plan({ action: "ec2:*", fault: { kind }, times: 2 });
    aws.faults.plan({ action: "eks:*", fault: { kind } });
    aws.faults.plan({ action: "sts:*", fault: { kind } });
  }
  await standIn.fault("image", 'failed to pull image "kindest/node:v1.37.0"');
  const failing = management.faults.failRequests({
    code: 500,
    verb: "create",
    resource: "clusters.cluster.x-k8s.io",
  });
  for (const name of names) {
    const body = { metadata: { name }, spec: specs[name] };
    await ask("POST", "/api/v1/plan-cluster", body);
    await ask("POST", "/api/v1/clusters", body);
  }
  const creations = async () => (await standIn.calls()).filter((call) => call.startsWith("kind create"));
  await expect.poll(creations, poll).not.toEqual([]);
  await standIn.fault("image", undefined);
  await expect.poll(() => failing.hits, poll).toBeGreaterThan(0);
  failing.remove();

  // One gets its agent; of the others it cannot be installed, or never comes.
  await until("by-exec", "Joining");
  const secret = made.api.get("secrets", "bowline-system", "bowline-agent-join");
  const encoded = isRecord(secret?.["data"]) ? String(secret["data"]["token"]) : "";
  const joinToken = Buffer.from(encoded, "base64").toString();
  expect(joinToken).toMatch(/^bwj_/u);
  traces.add("a join token", joinToken);
  for (const name of names.slice(1)) await until(name, "Joining", "Provisioned", "Ready");
  // What was cut off is Bowline's to make up for, and a way into EKS was asked for.
  expect(aws.world.nodegroups.all).toHaveLength(1);

  const everywhere = async (): Promise<void> => {
    for (const path of ["clusters", "events", "audit", "credentials"]) await ask("GET", `/api/v1/${path}`);
    await ask("GET", "/metrics");
    await ask("GET", "/api/v1/diagnosis");
    for (const [at, line] of lines.entries()) traces.search(`line ${at} of the log`, line);
    for (const answer of shown.splice(0)) traces.search(answer.slice(0, answer.indexOf(" {")), answer);
    traces.search("the log of an agent", `${agent.terminal.written}${agent.terminal.errors}`);
    expect(await traces.searchFolder("file", data)).toBeGreaterThan(100_000);
  };
  await everywhere();
  const bundle = join(bench.folder, "traces", "bundle.tar.gz");
  await mkdir(join(bench.folder, "traces"));
  const command = async (...args: readonly string[]) => {
    const ran = await runBowline(args, { environment: bench.environment });
    traces.search(args.join(" "), ran.out + ran.error);
    return ran;
  };
  expect(await command("support-bundle", bundle, "--data", data)).toMatchObject({ code: 0 });
  await traces.searchFolder("file", join(bench.folder, "traces"));

  expect(traces.found).toEqual([]);
  // The search would have found them: in the one process that is given a secret.
  expect(watch.seen).toBeGreaterThan(0);
});
