import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { descendantPids, livingPids } from "@bowline/test-services";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startApiServer, type ApiServer } from "./api-server.ts";
import { httpsGet } from "./https-get.ts";

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({
    users: [{ name: "dev", groups: ["developers"] }],
    extraFlags: ["--feature-gates=AllAlpha=false"],
  });
});
afterAll(() => server?.stop());

async function get(path: string, token: string): Promise<{ status: number; body: string }> {
  return httpsGet(`${server.url}${path}`, {
    caCert: server.caCert,
    token,
    signal: AbortSignal.timeout(10_000),
  });
}

it("answers its admin", async () => {
  expect(server.version).toMatch(/^v1\.\d+\.\d+/);
  expect((await get("/api/v1/namespaces/default", server.adminToken)).status).toBe(200);
});

it("turns away a token that it does not know", async () => {
  expect((await get("/api/v1/namespaces", "wrong")).status).toBe(401);
});

it("knows its other users and lets them do nothing", async () => {
  const { status, body } = await get("/api/v1/namespaces", server.token("dev"));
  expect(status).toBe(403);
  expect(body).toContain('User \\"dev\\" cannot list resource');
  expect((await get("/api", server.token("guest"))).status).toBe(200);
});

it("works with kubectl, and takes a Pod although no controller runs", async () => {
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "alone" },
    spec: { containers: [{ name: "main", image: "none" }] },
  };
  await server.kubectl(["apply", "-f", "-"], { input: JSON.stringify(pod) });
  expect(await server.kubectl(["get", "pod", "alone", "-o", "jsonpath={.status.phase}"])).toBe("Pending");
  await expect(server.kubectl(["get", "pod", "other"])).rejects.toThrow('pods "other" not found');
});

it("writes a kubeconfig file for the admin", async () => {
  expect(await readFile(server.kubeconfigPath, "utf8")).toBe(server.kubeconfig());
  expect(server.kubeconfig("dev")).toContain(server.token("dev"));
});

it("says why the server did not start", async () => {
  await expect(startApiServer({ extraFlags: ["--no-such-flag"] })).rejects.toMatchObject({
    code: "ProcessFailed",
    message: expect.stringMatching(
      /kube-apiserver ended before it was ready(.|\n)*unknown flag: --no-such-flag/,
    ),
  });
});

it("runs beside another, and leaves nothing when it is stopped", async () => {
  const before = new Set(await descendantPids(process.pid));
  const other = await startApiServer();
  const started = (await descendantPids(process.pid)).filter((pid) => !before.has(pid));
  expect(started.length).toBeGreaterThanOrEqual(2);
  expect(other.url).not.toBe(server.url);
  await other.stop();
  await other.stop();
  expect(await livingPids(started)).toEqual([]);
  expect(existsSync(dirname(other.kubeconfigPath))).toBe(false);
  expect((await get("/readyz", server.adminToken)).status).toBe(200);
});
