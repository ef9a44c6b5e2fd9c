import { whyNoCluster } from "@bowline/test-cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openInstalledStage, type InstalledStage } from "./testing/installed/installed-stage.ts";
import { RequestLoad, type LoadRequest } from "./testing/installed/request-load.ts";

/** The control plane from its manifests: this image, PostgreSQL and NATS as real pods, two replicas of the server. */
describe.skipIf(await whyNoCluster(process.env))("an installed control plane", () => {
  let opened: InstalledStage | undefined;
  const stage = (): InstalledStage => {
    if (opened === undefined) throw new Error("The stage is not open.");
    return opened;
  };
  beforeAll(async () => {
    opened = await openInstalledStage();
  });
  afterAll(() => opened?.[Symbol.asyncDispose]());

  test("runs two replicas, both of which get connections, and has two clusters", async () => {
    await expect.poll(() => new Set(stage().balancer.targets()).size).toBe(2);
    for (const name of ["home", "other"]) {
      await stage().bowline(["wait", `cluster/${name}`, "--for", "condition=Ready", "--timeout", "150s"]);
    }
  });

  test("serves kubectl through the agent of another cluster", async () => {
    const { other, kubectl } = stage();
    await other.kubectl(["create", "namespace", "seen-through-bowline"]);
    expect(await kubectl.run("get", "namespaces", "-o", "name")).toContain("namespace/seen-through-bowline");
  });

  test("is upgraded under load: no request is lost, and watches go on", async () => {
    const { controlPlane, balancer, caPem, adminToken, url, bowline, start } = stage();
    let seen = "";
    const watch = ["get", "users", "--watch", "-o", "name"];
    await start({ args: watch, says: "user/admin", onOutput: (text) => void (seen += text) });
    const before = balancer.targets();
    const load = new RequestLoad({ caPem, token: adminToken, clients: 8, next: requestsTo(url) });
    await expect.poll(() => load.answered).toBeGreaterThan(100);
    expect(await controlPlane.upgrade()).toMatch(/✓ backup[^]*✓ wait[^]*"bowline" went from/u);
    await expect.poll(() => balancer.targets().filter((pod) => before.includes(pod))).toEqual([]);
    const atOnce = load.answered;
    await expect.poll(() => load.answered).toBeGreaterThan(atOnce + 100);
    const { answered, lost } = await load.end();
    console.log(`${answered} requests were answered while the control plane was upgraded.`);
    expect(Object.fromEntries(lost)).toEqual({});
    const user = { kind: "User", metadata: { name: "after-the-upgrade" }, spec: { role: "viewer" } };
    await bowline(["apply", "-f", "-"], JSON.stringify(user));
    await expect.poll(() => seen).toContain("user/after-the-upgrade");
  });

  // At the end: nothing of it is left.
  test("goes with everything it brought", async () => {
    const { cluster, controlPlane } = stage();
    expect(await controlPlane.down()).toContain('"bowline" is gone.');
    const left = ["get", "all,secrets,namespaces", "-A", "-l", "bowline.dev/installation", "-o", "name"];
    expect(await cluster.kubectl(left)).toBe("");
  });
});

/** Lists, writes, and requests to the other cluster, in turns. */
function requestsTo(url: string): (client: number, turn: number) => LoadRequest {
  return (client, turn) => {
    switch (turn % 4) {
      case 0: {
        return { url: `${url}/api/v1/clusters` };
      }
      case 1: {
        const metadata = { name: `load-${client}`, labels: { turn: String(turn) } };
        const body = JSON.stringify({ kind: "User", metadata, spec: { role: "viewer" } });
        return { url: `${url}/api/v1/users/load-${client}`, method: "PUT", body };
      }
      case 2: {
        return { url: `${url}/clusters/other/api/v1/namespaces` };
      }
      default: {
        return { url: `${url}/clusters/other/version` };
      }
    }
  };
}
