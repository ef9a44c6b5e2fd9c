import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { startKubesim } from "@bowline/kubesim";
import { expect, onTestFinished, test } from "vitest";

import { hasProgram } from "../../kubeconfig/credential-program.ts";
import {
  allGone,
  DemoPlace,
  inOtherNetwork,
  listeningIn,
  type DemoProcess,
} from "../../testing/demo-process.ts";
import { runBowline } from "../../testing/run-bowline.ts";

/** Each starts a server and two clusters, on machines that may be busy. */
const timeout = 120_000;
const isReady = "Ctrl-C ends the demo";
const isRoot = process.platform === "linux" && process.getuid?.() === 0;
const hasKubectl = await hasProgram("kubectl", process.env);
const hasOwnNetwork =
  isRoot && (await hasProgram("ip", process.env)) && (await hasProgram("unshare", process.env));

/** 127.0.0.1, in the byte order of the machine. */
const loopback = "0100007F";

const escape = "\u001B[";
const [enterOtherScreen, leaveOtherScreen] = [`${escape}?1049h`, `${escape}?1049l`];
const bold = `${escape}1m`;

/** How the workloads of the demo do, as it says itself: two are well, and one is broken. */
const workloadLines = [
  /^shop in edge is ✓ Healthy: 3 of 3 resources$/mu,
  /^shop in cloud is ✓ Healthy: 3 of 3 resources$/mu,
  /^reports in cloud is ✗ Degraded: (?:ErrImagePull|ImagePullBackOff): .*example\.test\/reports:2\.0/mu,
  /^ \S+ +cloud +reports +Failed.* \(Pod reports-\S+\)$/mu,
  /^ \S+ +edge +shop +Started.* \(Pod web-\S+\)$/mu,
];

const bowlineOutputs = [
  /^0 NAME [^]*\n└─ cloud +Degraded +(?:ErrImagePull|ImagePullBackOff) [^]*─ Pod reports\/reports-\S+ +Degraded/u,
  /^0 LAST-SEEN [^]* Warning +Failed +pod\/reports-/u,
  /^0 workloaddefinition\/reports unchanged\nworkloadinstance\/reports configured\n[^]*workloadinstance\/reports is ready\.\n$/u,
  /^0 [^]*\nedge +existing +True +True +v1\.33\.4/u,
  /^0 (?:\[(?:edge|cloud)\/web-\S+\/web\] .+\n){6}$/u,
  /^0 TIME +USER[^]* editor +proxy +cluster\/cloud +patch deployments\/reports in reports +allowed/u,
  /^0 CLUSTER +USER[^]*\ncloud +pod\/payments\/api-\S+ +deployment\/payments\/api +\/spec\/containers\/0\/env\/0\//u,
  /^0 By the rules of roles:[^]*\ncloud +serviceaccount\/payments\/api +<everywhere> +get,list secrets [^]* user admin /u,
  /^0 critical: cloud: service\/payments\/api \(LoadBalancer\) → secret\/payments\/ledger, [^]*\nCut: /u,
];
const kubectlOutputs = [
  /^0 NAMESPACE [^]*\nshop +web-\S+ +1\/1 +Running/u,
  /shop +web-/u,
  /^0 deployment\.apps\/hello created\n$/u,
  /^1 Error from server \(Forbidden\): .*User "viewer" cannot delete/u,
];
const expectedOutputs = [...bowlineOutputs, ...(hasKubectl ? kubectlOutputs : [/^0 \{"kind":"PodList"/u])];

/** The commands it prints: for its own clusters, and behind them for one that the reader has. */
function printedCommands(out: string): readonly string[][] {
  const parts = out.split("Join a cluster of your own");
  return parts.map((part) => part.split("\n").flatMap((line) => /^ {3}(\S.*)$/u.exec(line)?.slice(1) ?? []));
}

/** Joins a cluster that knows nothing of the demo, and asks it for something as soon as it is connected. */
async function joinOwn(place: DemoPlace, demo: DemoProcess, [add, ask]: readonly string[]): Promise<void> {
  const cluster = await startKubesim({ tls: false });
  onTestFinished(() => cluster.stop());
  await mkdir(join(place.folder, ".kube"), { recursive: true });
  await writeFile(join(place.folder, ".kube", "config"), cluster.kubeconfig());
  const agent = place.run("sh", ["-c", `exec ${add}`]);
  await demo.wrote("mine is connected");
  const asked = await tryCommands(place, ask === undefined ? [] : [ask]);
  expect(asked).toEqual(hasKubectl ? ["0 No resources found\n"] : []);
  agent.kill("SIGINT");
  expect(await agent.exited).toEqual([0, null]);
}

/** Runs commands as somebody who copies them one after the other; the watch until it has shown something. */
async function tryCommands(place: DemoPlace, commands: readonly string[]): Promise<string[]> {
  const outputs: string[] = [];
  const exports: string[] = [];
  for (const command of commands) {
    if (command.startsWith("export ")) {
      exports.push(command);
      continue;
    }
    const ran = place.run("sh", ["-c", [...exports, `exec ${command}`].join("\n")]);
    if (command.endsWith("--watch")) await ran.wrote(" web-").then(() => ran.kill("SIGINT"));
    const [code] = await ran.exited;
    outputs.push(`${String(code)} ${ran.out}${ran.error}`);
  }
  return outputs;
}

/** Starts a demo and kills it when all of its processes are there. */
async function killEarly(place: DemoPlace): Promise<void> {
  const demo = place.start();
  await expect.poll(async () => (await demo.pids()).length, { timeout }).toBeGreaterThanOrEqual(2);
  await expect.poll(() => place.hasCable, { timeout }).toBe(hasOwnNetwork);
  const orphans = await demo.pids();
  demo.kill("SIGKILL");
  await demo.exited;
  await allGone(orphans);
  await expect.poll(() => place.hasCable).toBe(false);
}

test(
  "the demo prints commands that work, ends without a trace, and starts again after it was killed",
  { timeout },
  async () => {
    const place = await DemoPlace.create();
    await killEarly(place);
    const demo = place.start();
    await demo.wrote(isReady);
    const edge = await inOtherNetwork(await demo.pids());
    expect(edge !== undefined).toBe(hasOwnNetwork);
    const reachable = edge === undefined ? [] : listeningIn(edge).filter((address) => address !== loopback);
    expect(reachable).toEqual([]);
    const network = hasOwnNetwork ? "a network with no way in" : "a plain process";
    expect(demo.out).toContain(`edge is connected: Kubernetes v1.33.4, its agent runs in ${network}\n`);
    for (const line of workloadLines) await expect.poll(() => demo.out, { timeout }).toMatch(line);
    const [first = [], own = []] = printedCommands(demo.out);
    const outputs = await tryCommands(place, first);
    expect(outputs).toHaveLength(expectedOutputs.length);
    for (const [index, expected] of expectedOutputs.entries()) expect(outputs[index]).toMatch(expected);
    await demo.wrote("list    pods");
    await demo.wrote("\nreports in cloud is ✓ Healthy: 2 of 2 resources\n");
    await joinOwn(place, demo, own);
    const pids = await demo.pids();
    demo.kill("SIGINT");
    expect(await demo.exited).toEqual([0, null]);
    expect(demo.error).toBe("");
    await allGone(pids);
    expect(await place.left()).toEqual([]);
  },
);

test.skipIf(process.platform !== "linux")(
  "on a terminal it draws, says what the machine lacks, and ends by a key",
  { timeout },
  async () => {
    const place = await DemoPlace.create();
    const config = "currentContext: a\ncontexts:\n  - name: a\n    server: https://127.0.0.1:1\n";
    await writeFile(place.configFile, config);
    // Where neither ip nor kubectl is.
    const command = `stty rows 60 cols 400; PATH=/nowhere ${place.argv.join(" ")}`;
    const demo = place.run("script", ["-qec", command, "/dev/null"], { TERM: "xterm", NO_COLOR: "1" });
    await demo.wrote("Starting ...");
    await demo.wrote("--context demo get clusters");
    const pids = await demo.pids();
    demo.type("q");
    expect(await demo.exited).toEqual([0, null]);
    await allGone(pids);
    const [drawn = "", after = ""] = demo.out.replace(enterOtherScreen, "").split(leaveOtherScreen);
    expect(drawn).toMatch(/that nobody can call into, but .+\./u);
    expect(drawn).toContain("curl --cacert");
    expect(drawn).toMatch(/reports +cloud +\S \w+ /u);
    expect(drawn).not.toContain(bold);
    expect(after).toBe("The demo has ended; nothing of it is left.\r\n");
    expect(await place.left()).toEqual(["config.yaml"]);
    expect(await readFile(place.configFile, "utf8")).toBe(config);
  },
);

test("it says what is in the way: another demo, another program, a wrong port", { timeout }, async () => {
  const place = await DemoPlace.create();
  await mkdir(join(place.folder, ".bowline", "demo"), { recursive: true });
  using lock = new DatabaseSync(join(place.folder, ".bowline", "demo", "lock"));
  lock.exec("begin exclusive");
  const second = place.start();
  expect(await second.exited).toEqual([1, null]);
  expect(second.error).toBe("error: The demo runs already in this folder; look for its other terminal.\n");
  lock.close();

  const other = createServer().listen(place.port, "127.0.0.1");
  await once(other, "listening");
  onTestFinished(() => void other.close());
  const third = place.start();
  expect(await third.exited).toEqual([2, null]);
  expect(third.error).toMatch(/^error: Another program listens on port \d+; stop it, or choose another/u);
  expect(await place.left()).toEqual([]);
  const { code, error } = await runBowline(["demo", "--port", "70000"]);
  expect(`${code} ${error}`).toMatch(/^2 error: .*from 1 to 65535/u);
});
