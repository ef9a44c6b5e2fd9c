import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { resultOf, runBowlineProcess, spawnBowline } from "../testing/bowline-process.ts";
import {
  hasKubectl,
  startClusterBehindServer,
  type ClusterBehindServer,
} from "../testing/cluster-behind-server.ts";
import { runBowline } from "../testing/run-bowline.ts";

let cluster: ClusterBehindServer;
beforeAll(async () => {
  cluster = await startClusterBehindServer();
});
afterAll(() => cluster[Symbol.asyncDispose]());

describe.skipIf(!hasKubectl())("the real kubectl", () => {
  test("reaches a cluster with a context that was merged into its kubeconfig", async () => {
    const kubeconfig = join(cluster.folder, "kube", "config");
    const environment = { ...cluster.environment, KUBECONFIG: kubeconfig };
    const merged = await runBowline(["kubeconfig", "prod", "--merge"], { environment });
    expect(merged).toMatchObject({ code: 0, out: "context/bowline-prod added\n" });
    expect((await stat(kubeconfig)).mode & 0o777).toBe(0o600);
    expect(await readFile(kubeconfig, "utf8")).not.toContain("bwl_");
    expect(await readdir(join(cluster.folder, "kube"))).toEqual(["config"]);

    const args = ["--context", "bowline-prod", "get", "namespaces", "-o", "name"];
    const result = await resultOf(spawn("kubectl", args, { env: environment }));
    expect(result).toMatchObject({ code: 0, error: "" });
    expect(result.out).toContain("namespace/kube-system\n");
    const again = await runBowline(["kubeconfig", "prod", "--merge"], { environment });
    expect(again.out).toBe("context/bowline-prod unchanged\n");
  });

  test("runs under bowline, with what is piped to it", async () => {
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "piped", namespace: "default" } };
    const args = ["kubectl", "prod", "--", "create", "-f", "-", "-o", "name"];
    expect(await runBowlineProcess(args, cluster.environment, JSON.stringify(body))).toEqual({
      code: 0,
      out: "configmap/piped\n",
      error: "",
    });
    const missing = ["kubectl", "prod", "--", "get", "configmap", "missing"];
    const result = await runBowlineProcess(missing, cluster.environment);
    expect(result).toMatchObject({ code: 1, out: "" });
    expect(result.error).toContain('configmaps "missing" not found');
  });

  test("says what is wrong when there is no token", async () => {
    const config = join(cluster.folder, "no-token.yaml");
    await writeFile(config, `currentContext: a\ncontexts: [{ name: a, server: "${cluster.url}" }]\n`);
    const environment = { ...cluster.environment, BOWLINE_CONFIG: config };
    const { code, error } = await runBowlineProcess(["kubectl", "prod", "--", "get", "pods"], environment);
    expect(code).toBe(1);
    expect(error).toContain(`There is no token for ${cluster.url}; run \`bowline login ${cluster.url}\`.`);
  });
});

describe("whatever kubectl does", () => {
  /** The environment in which kubectl is this script. */
  async function withKubectl(name: string, script: string): Promise<Record<string, string>> {
    const folder = join(cluster.folder, name);
    await mkdir(folder);
    await writeFile(join(folder, "kubectl"), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, "kubectl"), 0o755);
    return { ...cluster.environment, PATH: `${folder}:/usr/bin:/bin` };
  }

  const leftBehind = async (): Promise<string[]> =>
    (await readdir(cluster.folder)).filter((name) => name.startsWith("bowline-kubectl-"));

  test("its arguments, exit code and kubeconfig, which nobody else can read and which is gone afterwards", async () => {
    const environment = await withKubectl(
      "fake",
      'echo "$@"; stat -c %a "$KUBECONFIG"; cat "$KUBECONFIG"; exit 7',
    );
    const args = ["kubectl", "prod", "--", "get", "pods", "-A", "--context", "mine", "--", "-v"];
    const { code, out, error } = await runBowlineProcess(args, environment);
    expect({ code, error }).toEqual({ code: 7, error: "" });
    const [line, mode, config = ""] = out.split("\n");
    expect(line).toBe("get pods -A --context mine -- -v");
    expect(mode).toBe("600");
    expect(JSON.parse(config)).toMatchObject({
      "current-context": "bowline-prod",
      clusters: [{ cluster: { server: `${cluster.url}/clusters/prod` } }],
    });
    expect(config).not.toContain("bwl_");
    expect(await leftBehind()).toEqual([]);
  });

  test.each([
    ["SIGTERM", 5],
    ["SIGINT", 6],
    ["SIGHUP", 7],
  ] as const)("%s is passed on, and kubectl decides how to end", async (signal, code) => {
    const environment = await withKubectl(
      signal,
      `trap 'exit 5' TERM; trap 'exit 6' INT; trap 'exit 7' HUP; echo ready; while :; do sleep 0.05; done`,
    );
    const child = spawnBowline(["kubectl", "prod", "--", "get", "pods", "--watch"], environment);
    await once(child.stdout, "data");
    child.kill(signal);
    expect(await resultOf(child)).toMatchObject({ code });
    expect(await leftBehind()).toEqual([]);
  });

  test("of a cluster that is not there, it is told that there is none", async () => {
    const environment = await withKubectl("lost", "echo NotFound >&2; exit 1");
    const { code, error } = await runBowlineProcess(["kubectl", "nope", "--", "get", "pods"], environment);
    expect({ code, error }).toEqual({ code: 1, error: "NotFound\nerror: There is no such Cluster.\n" });
  });

  test("a kubectl that was killed is told by the exit code", async () => {
    const environment = await withKubectl("killed", "kill -9 $$");
    expect(await runBowlineProcess(["kubectl", "prod"], environment)).toMatchObject({ code: 137 });
  });

  test("without one, it says how to get it", async () => {
    const environment = { ...cluster.environment, PATH: "/nowhere" };
    const { code, error } = await runBowline(["kubectl", "prod", "--", "get", "pods"], { environment });
    expect(code).toBe(1);
    expect(error).toContain("kubectl is not installed");
    expect(error).toContain("https://kubernetes.io/docs/tasks/tools/");
    expect(await leftBehind()).toEqual([]);
  });
});
