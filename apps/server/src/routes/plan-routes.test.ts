import { BowlineError, createLogger } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import type { Provider } from "@bowline/providers";
import { FakeCloud, fakeProvider } from "@bowline/providers/testing";
import { Cluster } from "@bowline/api";
import { openTestStore } from "@bowline/store/testing";
import { describe, expect, test } from "vitest";

import { openTestApi } from "../api/testing/api-harness.ts";
import { TestAccess } from "../api/testing/test-access.ts";
import { planRoutes } from "./plan-routes.ts";

async function open(changed: Partial<Provider> = {}) {
  const cloud = new FakeCloud();
  const provider: Provider = { ...fakeProvider(cloud), ...changed };
  const logger = createLogger({ name: "test", level: "silent" });
  const store = await openTestStore({ type: "sqlite", file: ":memory:" });
  const providers = new Map([[provider.name, provider]]);
  const options = { store, access: new TestAccess(), providers, clock: new ManualClock(), logger };
  const api = await openTestApi({ testStore: store, plugins: [planRoutes(options)] });
  const plan = (spec: object, as?: string) =>
    api.call("POST", "/api/v1/plan-cluster", {
      body: { metadata: { name: "web" }, spec },
      ...(as === undefined ? {} : { as }),
    });
  return { ...api, cloud, plan };
}

describe("POST /api/v1/plan-cluster", () => {
  test("answers what would be made and what it costs, and makes nothing", async () => {
    const { plan, cloud, store } = await open();
    const head = await store.changes.head();
    expect(await plan({ provider: "kind", maxNodes: 3 })).toMatchObject({
      status: 200,
      body: {
        provider: "kind",
        steps: ["network of web", "control-plane of web", "nodes of web"],
        hourlyCost: "0.30 USD",
        expectedSeconds: 600,
      },
    });
    expect(cloud.calls).toEqual([]);
    expect(await store.objects.get(Cluster, "web")).toBeUndefined();
    expect(await store.changes.head()).toBe(head);
  });

  test("has nothing to make for a cluster that exists", async () => {
    const { plan } = await open();
    expect(await plan({})).toMatchObject({ status: 200, body: { provider: "existing", steps: [] } });
  });

  test("says why a provider has no plan, and nothing of what nobody foresaw", async () => {
    const failing = async (details: Readonly<Record<string, string>>) => {
      const error = new BowlineError("ProcessFailed", "The program «rack» is not executable.", { details });
      const { plan } = await open({ plan: () => Promise.reject(error) });
      return plan({ provider: "kind" });
    };
    expect(await failing({ reason: "ProviderProgramFailed" })).toMatchObject({
      status: 422,
      body: { error: { code: "ReconcileStalled", message: "The program «rack» is not executable." } },
    });
    expect(await failing({})).toMatchObject({ status: 500, body: { error: { code: "Internal" } } });
  });

  test("refuses what could not be created, and a provider that is not there", async () => {
    const { plan } = await open();
    expect((await plan({ provider: "kind", autoDelete: true })).status).toBe(422);
    const exec = await plan({ provider: "exec", exec: { command: "rack" } });
    expect(exec).toMatchObject({ status: 409 });
    expect((await plan({ provider: "kind" }, "viewer")).status).toBe(403);
  });
});
