import { Gateway, WorkloadInstance } from "@bowline/api";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";

import { startObjectServer } from "../testing/object-server.ts";

let server: Awaited<ReturnType<typeof startObjectServer>>;

beforeEach(async () => {
  server = await startObjectServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  await server.client.create(WorkloadInstance, {
    metadata: { name: "shop" },
    spec: { definition: "shop", placement: { clusters: ["one"] } },
  });
});

describe("expose", () => {
  test("makes a Gateway, and says how to follow it", async () => {
    const ran = await server.bowline(["expose", "wi/shop", "--host", "shop.example.com"]);
    expect(ran).toMatchObject({ code: 0, out: "gateway/shop created\n" });
    expect(ran.error).toContain("bowline wait gateway/shop --for condition=Ready");
    expect((await server.client.get(Gateway, "shop")).spec).toMatchObject({
      instance: "shop",
      hosts: ["shop.example.com"],
      rules: [{ path: "/", service: "shop", port: 80 }],
      tls: { mode: "terminate" },
      visibility: "public",
    });
  });

  test("says whose the host is that is taken", async () => {
    await server.bowline(["expose", "shop", "--host", "shop.example.com"]);
    const ran = await server.bowline(["expose", "shop", "--name", "other", "--host", "shop.example.com"]);
    expect(ran.code).toBe(1);
    expect(ran.error).toContain(
      'spec.hosts[0] is taken: shop.example.com/ in every cluster, by Gateway "shop"',
    );
  });

  test("waits until it answers, and tells what is in the way", async () => {
    const args = ["expose", "shop", "--host", "shop.example.com", "--wait", "--timeout", "30s"];
    const running = server.bowline(args);
    const tell = async (status: "True" | "False", reason: string, message: string): Promise<void> => {
      const gateway = await server.client.get(Gateway, "shop");
      const at = {
        lastTransitionTime: "2026-01-01T00:00:00Z",
        observedGeneration: gateway.metadata.generation,
      };
      const conditions = [{ type: "Ready", status, reason, message, ...at }];
      const cluster = { cluster: "one", ready: status, reason, message, addresses: [], checks: [] };
      await server.client.putStatus(Gateway, "shop", { ...gateway.status, conditions, clusters: [cluster] });
    };
    await expect.poll(() => server.client.get(Gateway, "shop").catch(() => undefined)).toBeDefined();
    await tell("False", "BackendMissing", "There is no Service default/shop.");
    await tell("True", "Reachable", "It answers from outside, at 192.0.2.1.");
    expect(await running).toMatchObject({
      code: 0,
      out: "gateway/shop created\ngateway/shop is ready: It answers from outside, at 192.0.2.1.\n",
    });
  });

  test("says in the end why it does not answer", async () => {
    const args = ["expose", "shop", "--host", "shop.example.com", "--wait", "--timeout", "0s"];
    const ran = await server.bowline(args);
    expect(ran.code).toBe(1);
    expect(ran.error).toContain("Gave up waiting for gateway/shop");
  });

  test.each([
    [["expose", "nobody", "--host", "a.example.com"], 'There is no WorkloadInstance "nobody"'],
    [["expose", "shop", "--host", "a.example.com", "--port", "0"], "--port must be a number from 1 to 65535"],
    [["expose", "shop", "--host", "Not A Host"], "must be a host name in lower case"],
    [["expose", "shop"], "--host"],
  ])("refuses %j", async (args, message) => {
    const ran = await server.bowline(args);
    expect(ran.code).not.toBe(0);
    expect(ran.error).toContain(message);
    await expect(server.client.get(Gateway, "shop")).rejects.toMatchObject({ code: "NotFound" });
  });
});
