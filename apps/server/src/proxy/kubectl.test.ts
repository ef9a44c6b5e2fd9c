import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { accessSync, constants } from "node:fs";
import { once } from "node:events";
import { createInterface } from "node:readline";

import { startKubesim } from "@bowline/kubesim";
import { describe, expect, onTestFinished, test } from "vitest";

import { makeAuthority } from "@bowline/tls/issue";
import { agentSide } from "@bowline/gateway/testing";
import { openProxy, type ProxyHarness } from "./testing/proxy-harness.ts";

/** The real kubectl, against a simulated cluster behind the proxy. */
const kubectl = findKubectl();

interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Workbench extends ProxyHarness {
  readonly run: (as: string, args: string, stdin?: object) => Promise<Result>;
  readonly follow: (as: string, args: string) => AsyncIterator<string>;
}

const rbac = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name: "bowline-viewers" } };

async function openWorkbench(): Promise<Workbench> {
  const sim = await startKubesim({ tls: false, nodes: 1, kubelet: { startDelayMs: 1 } });
  onTestFinished(() => sim.stop());
  sim.api.create("clusterrolebindings.rbac.authorization.k8s.io", {
    ...rbac,
    kind: "ClusterRoleBinding",
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    subjects: [{ kind: "Group", name: "bowline:viewers", apiGroup: "rbac.authorization.k8s.io" }],
  });
  const harness = await openProxy({
    // Over plain HTTP, kubectl shows its token to nobody.
    tls: await makeAuthority(Date.now()),
    accept: agentSide(Number(new URL(sim.url).port), sim.adminToken),
    grants: {
      operators: { kubernetes: { user: "admin", groups: ["system:masters"] } },
      viewers: { subjects: [{ user: "viewer" }], kubernetes: { groups: ["bowline:viewers"] } },
      shop: {
        subjects: [{ user: "editor" }],
        namespaces: ["shop"],
        kubernetes: { user: "shop", groups: ["system:masters"] },
      },
    },
  });
  const home = await mkdtemp(join(tmpdir(), "bowline-proxy-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  for (const user of ["operator", "viewer", "editor", "deputy"]) {
    await writeFile(join(home, user), kubeconfig(harness.port, user));
  }
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, LC_ALL: "C" };
  const args = (as: string, words: string): string[] => ["--kubeconfig", join(home, as), ...words.split(" ")];
  return {
    ...harness,
    run: (as, words, stdin) =>
      new Promise((resolve) => {
        const child = execFile(
          kubectl ?? "",
          args(as, words),
          { env, timeout: 30_000 },
          (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
        );
        child.stdin?.end(stdin === undefined ? "" : JSON.stringify(stdin));
      }),
    follow: (as, words) => {
      const child = spawn(kubectl ?? "", args(as, words), { env, stdio: ["ignore", "pipe", "inherit"] });
      onTestFinished(async () => {
        const ended = once(child, "exit");
        if (child.exitCode === null && child.kill("SIGTERM")) await ended;
      });
      return createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    },
  };
}

const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "i:1" }] } },
  },
};

describe.skipIf(kubectl === undefined)("kubectl through the proxy", () => {
  test("works as it does without", async () => {
    const { run, follow, audited } = await openWorkbench();
    expect(await run("operator", "create namespace shop")).toMatchObject({ code: 0 });
    const watch = follow("operator", "-n shop get pods --watch -o name");
    expect(await run("operator", "apply -f -", deployment)).toMatchObject({
      code: 0,
      stdout: "deployment.apps/web created\n",
    });
    expect((await watch.next()).value).toMatch(/^pod\/web-/u);
    expect(await run("operator", "-n shop rollout status deployment/web --timeout=20s")).toMatchObject({
      code: 0,
    });
    expect((await run("operator", "-n shop logs deployment/web")).code).toBe(0);
    expect(await run("operator", "-n shop scale deployment/web --replicas=1")).toMatchObject({ code: 0 });
    expect(
      await run("operator", "-n shop wait deployment/web --for=condition=Available --timeout=20s"),
    ).toMatchObject({ code: 0 });
    expect((await run("operator", "api-resources")).stdout).toContain("deployments");
    expect(await run("operator", "auth can-i delete pods")).toMatchObject({ stdout: "yes\n" });
    expect(await run("operator", "-n shop delete deployment web")).toMatchObject({ code: 0 });

    const records = await audited();
    const verbs = new Set(records.map(({ proxy }) => `${proxy?.verb} ${proxy?.resource ?? proxy?.path}`));
    for (const done of [
      "create namespaces",
      "watch pods",
      "patch deployments",
      "delete deployments",
      "get /apis",
    ]) {
      expect([...verbs].some((verb) => verb.startsWith(done))).toBe(true);
    }
    expect(records.every(({ proxy }) => proxy?.user === "admin")).toBe(true);
  });

  test("is held to what the grants and the cluster allow, and says which of the two it was", async () => {
    const { run } = await openWorkbench();
    expect(await run("operator", "create namespace shop")).toMatchObject({ code: 0 });
    expect((await run("viewer", "-n shop get pods")).code).toBe(0);
    const denied = await run("viewer", "-n shop create configmap a");
    expect(denied).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('User "viewer" cannot create resource'),
    });

    expect((await run("editor", "-n shop create configmap a")).code).toBe(0);
    expect((await run("editor", "auth can-i get pods")).stdout).toBe("yes\n");
    const elsewhere = await run("editor", "-n default get pods");
    expect(elsewhere).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Error from server \(Forbidden\): .*AccessGrants of editor/u),
    });
    // Of what is wrong with its question for what there is, kubectl shows plain text only.
    expect(await run("deputy", "get pods")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Error from server \(Forbidden\): .*deputy/u),
    });
    const everywhere = await run("editor", "get pods -A");
    expect(everywhere).toMatchObject({ code: 1, stderr: expect.stringContaining("outside of namespaces") });
  });

  test("is told that the agent is offline, and where", async () => {
    const { run, tunnels } = await openWorkbench();
    expect((await run("operator", "get pods")).code).toBe(0);
    tunnels.isOffline = true;
    tunnels.lastSeenAt = "2026-01-01T00:00:00Z";
    const { code, stderr } = await run("operator", "get pods");
    expect(code).toBe(1);
    expect(stderr).toContain(
      "The agent of the cluster prod is not connected; it was last seen at 2026-01-01T00:00:00Z.",
    );
  });
});

function kubeconfig(port: number, token: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "prod",
        cluster: { server: `https://127.0.0.1:${port}/clusters/prod`, "insecure-skip-tls-verify": true },
      },
    ],
    users: [{ name: token, user: { token } }],
    contexts: [{ name: "prod", context: { cluster: "prod", user: token } }],
    "current-context": "prod",
  });
}

function findKubectl(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const candidates = [process.env["KUBECTL"] ?? "", ...folders.map((folder) => join(folder, "kubectl"))];
  return candidates.find((path) => path !== "" && isExecutable(path));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
