import { spawn } from "node:child_process";
import { once } from "node:events";
import { glob, readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { programFiles } from "@bowline/packaging";
import { createTempFolder, descendantPids, livingPids, type TempFolder } from "@bowline/test-services";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { whyNoCluster } from "./cluster-obstacles.ts";
import { busyboxImage, startCluster, type Cluster } from "./cluster.ts";
import { busyboxRoot } from "./busybox-root.ts";

describe.skipIf(await whyNoCluster(process.env))("a cluster with a node", () => {
  let temp: TempFolder;
  let knownPids: Set<number>;
  let cluster: Cluster;

  beforeAll(async () => {
    temp = await createTempFolder("cluster-test");
    knownPids = new Set([process.pid, ...(await descendantPids(process.pid))]);
    // All of the cluster's folders go where nothing else is.
    vi.stubEnv("TMPDIR", temp.path);
    cluster = await startCluster();
    vi.unstubAllEnvs();
  });
  afterAll(async () => {
    await cluster?.stop();
    await temp?.[Symbol.asyncDispose]();
  });

  async function kubectl(...args: string[]): Promise<string> {
    return cluster.kubectl(args);
  }

  it("runs a pod, shows its log and runs a command in it", async () => {
    await runPod(cluster, "hello", "echo hello from $HOSTNAME; sleep 3600");
    expect(await kubectl("logs", "hello")).toBe("hello from hello\n");
    expect(await kubectl("exec", "hello", "--", "sh", "-c", "echo $((6 * 7))")).toBe("42\n");
  });

  it("runs what a Deployment asks for", async () => {
    await kubectl("create", "deployment", "web", `--image=${busyboxImage}`, "--", "sleep", "3600");
    const patch = [{ op: "add", path: "/spec/template/spec/containers/0/imagePullPolicy", value: "Never" }];
    await kubectl("patch", "deployment", "web", "--type=json", "--patch", JSON.stringify(patch));
    expect(await kubectl("rollout", "status", "deployment/web", "--timeout=150s")).toContain(
      "successfully rolled out",
    );
  });

  it("lets pods reach the API server and the servers of the test", async () => {
    const server = createServer((_, response) => void response.end("the test"));
    server.listen(0, cluster.hostAddress);
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    // Newer servers refuse the TLS of busybox, so a client of their own time asks them.
    const image = "localhost/kubectl:1";
    const layer = [...(await busyboxRoot()), ...(await programFiles(cluster.kubectlPath, "bin/kubectl"))];
    await cluster.importImage({ name: image, layers: [layer] });
    await runPod(cluster, "client", "sleep 3600", image);
    const inPod = (...command: string[]): Promise<string> => kubectl("exec", "client", "--", ...command);
    const testServer = `http://${cluster.hostAddress}:${port}`;
    expect(await inPod("wget", "-qO-", testServer)).toBe("the test");
    const token = `--token=${cluster.adminToken}`;
    const apiServer = ["--server=https://10.96.0.1", "--insecure-skip-tls-verify", token];
    expect(await inPod("kubectl", ...apiServer, "get", "--raw=/version")).toContain(cluster.version);
  });

  it("leaves nothing when it is stopped", async () => {
    const print = await footprint(process.pid, knownPids);
    expect(print.pids.length).toBeGreaterThan(10);
    expect(print.cgroups).toHaveLength(1);
    await cluster.stop();
    await cluster.stop();
    await expectGone(print, cluster.hostAddress, temp.path);
  });

  it("leaves nothing when the process that started it is killed", async () => {
    const module = new URL("./cluster.ts", import.meta.url).href;
    const script = `
      const { startCluster } = await import(${JSON.stringify(module)});
      const { hostAddress } = await startCluster();
      console.log(hostAddress);`;
    const owner = spawn(process.execPath, ["--input-type=module", "--eval", script], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, TMPDIR: temp.path },
    });
    onTestFinished(() => void owner.kill("SIGKILL"));
    const [line] = (await once(owner.stdout, "data")) as [Buffer];
    const print = await footprint(owner.pid ?? 0, new Set());
    expect(print.pids.length).toBeGreaterThan(6);
    owner.kill("SIGKILL");
    await expectGone(print, line.toString().trim(), temp.path);
  });
});

async function runPod(cluster: Cluster, name: string, script: string, image = busyboxImage): Promise<void> {
  const flags = [`--image=${image}`, "--image-pull-policy=Never", "--restart=Never"];
  await cluster.kubectl(["run", name, ...flags, "--", "sh", "-c", script]);
  await cluster.kubectl(["wait", `pod/${name}`, "--for=condition=Ready", "--timeout=150s"]);
}

interface Footprint {
  readonly pids: number[];
  /** The names of control groups that these processes are in. */
  readonly cgroups: string[];
}

async function footprint(owner: number, known: ReadonlySet<number>): Promise<Footprint> {
  const pids = (await descendantPids(owner)).filter((pid) => !known.has(pid));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cgroup`, "utf8").catch(() => "")));
  return { pids, cgroups: [...new Set(lines.join("").match(/bowline-[0-9a-f]{8}/g))] };
}

/** No process, folder, control group, network interface or mount. */
async function expectGone(print: Footprint, hostAddress: string, tempFolder: string): Promise<void> {
  const patience = { interval: 100 };
  await expect.poll(() => livingPids(print.pids), patience).toEqual([]);
  await expect.poll(() => readdir(tempFolder), patience).toEqual([]);
  await expect.poll(() => cgroupFolders(print.cgroups), patience).toEqual([]);
  // The kernel takes a network namespace, and with it our end of the link, apart in the background.
  await expect.poll(addresses, patience).not.toContain(hostAddress);
  expect(await readFile("/proc/self/mountinfo", "utf8")).not.toContain(tempFolder);
}

function addresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
}

async function cgroupFolders(names: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const name of names) {
    for await (const path of glob([`/sys/fs/cgroup/${name}`, `/sys/fs/cgroup/*/${name}`])) found.push(path);
  }
  return found;
}
