/** A server that `bowline install manifests` has installed, as a real pod of the image that is shipped. */
import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";

import { startCluster, whyNoCluster, type Cluster } from "@bowline/test-cluster";
import { createTempFolder, freePort, ManagedProcess, type TempFolder } from "@bowline/test-services";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { TestHome } from "../testing/test-home.ts";
import { runBowline } from "../testing/run-bowline.ts";
import { agentImage } from "./testing/agent-image.ts";
import { succeed } from "./testing/people.ts";

const namespace = "bowline-system";

/** The volume that a storage class would make: nothing here makes one. */
function volumeAt(path: string): object {
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "bowline" },
    spec: {
      capacity: { storage: "10Gi" },
      accessModes: ["ReadWriteOnce"],
      hostPath: { path },
      persistentVolumeReclaimPolicy: "Retain",
    },
  };
}

describe.skipIf(await whyNoCluster(process.env))("an installed server", () => {
  let cluster: Cluster;
  let folder: TempFolder;

  beforeAll(async () => {
    folder = await createTempFolder("installed");
    const volume = join(folder.path, "volume");
    await mkdir(volume);
    // A volume of a driver would be given to the group of the pod; a folder of the node is not.
    await chmod(folder.path, 0o755);
    await chmod(volume, 0o777);
    cluster = await startCluster();
    await cluster.importImage(await agentImage(join(folder.path, "image")));
    await cluster.kubectl(["create", "-f", "-"], {
      input: JSON.stringify(volumeAt(volume)),
    });
  });
  afterAll(async () => {
    await cluster?.stop();
    await folder?.[Symbol.asyncDispose]();
  });

  const kubectl = (...args: string[]): Promise<string> =>
    cluster.kubectl(["--namespace", namespace, ...args]);

  /** As the guide says: there is no kube-proxy, so the Service leads nowhere, and `port-forward` goes to its pod. */
  async function forwardPort(): Promise<AsyncDisposable & { readonly url: string }> {
    const port = await freePort();
    let printed = "";
    const { kubeconfigPath, kubectlPath } = cluster;
    const process = await ManagedProcess.start({
      command: kubectlPath,
      args: [
        "--kubeconfig",
        kubeconfigPath,
        "-n",
        namespace,
        "port-forward",
        "service/bowline",
        `${port}:7443`,
      ],
      onOutput: (chunk) => (printed += chunk.toString()),
      isReady: async () => printed.includes("Forwarding from 127.0.0.1"),
    });
    return {
      url: `https://127.0.0.1:${port}`,
      [Symbol.asyncDispose]: () => process[Symbol.asyncDispose](),
    };
  }

  async function install(...flags: string[]): Promise<void> {
    const { code, out, error } = await runBowline(["install", "manifests", "--create-namespace", ...flags]);
    expect({ code, error }).toEqual({ code: 0, error: "" });
    await cluster.kubectl(["apply", "--server-side", "-f", "-"], { input: out });
    await kubectl("rollout", "status", "statefulset/bowline", "--timeout=150s").catch(
      async (cause: unknown) => {
        const logs = await kubectl("logs", "bowline-0").catch(String);
        throw new Error(`${await kubectl("describe", "pods,persistentvolumeclaims")}${logs}`, { cause });
      },
    );
  }

  test("becomes ready, prints the token of the admin once, and lets the admin in", async () => {
    await install();
    const log = await kubectl("logs", "bowline-0");
    const [token = ""] = /bwl_\S+/u.exec(log) ?? [];
    const [fingerprint = ""] = /sha256:[0-9a-f]{64}/u.exec(log) ?? [];
    await using home = await TestHome.create();
    await using forward = await forwardPort();
    const login = ["login", forward.url, "--ca-fingerprint", fingerprint, "--token-stdin"];
    await succeed(home, login, { stdin: token });
    expect((await succeed(home, ["whoami"], {})).out).toContain("admin");
  });

  test("keeps what it knows when a setting changes, in another pod", async () => {
    const before = await kubectl("get", "pod", "bowline-0", "--output=jsonpath={.metadata.uid}");
    await install("--set=settings.log.level=debug,drain.delaySeconds=0");
    expect(await kubectl("get", "pod", "bowline-0", "--output=jsonpath={.metadata.uid}")).not.toBe(before);
    const log = await kubectl("logs", "bowline-0");
    expect(log).toContain("Log in with the token of the first start");
    expect(log).not.toContain("bwl_");
  });
});
