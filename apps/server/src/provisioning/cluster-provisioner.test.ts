import { BowlineError } from "@bowline/core";
import { Credential, type Cluster } from "@bowline/api";
import type { ProviderWork } from "@bowline/providers";
import { fakeProvider } from "@bowline/providers/testing";
import { credential } from "@bowline/store/testing";
import { beforeEach, describe, expect, test } from "vitest";

import { conditionsOf, ProvisioningHarness, type Replica } from "./testing/provisioning-harness.ts";

let harness: ProvisioningHarness;
let replica: Replica;

beforeEach(async () => {
  harness = await ProvisioningHarness.open();
  replica = harness.start();
});

/** The cluster, made as far as its provider makes it. */
async function made(): Promise<Cluster | undefined> {
  await harness.create();
  let found = await harness.look(replica);
  for (let turn = 0; turn < 10 && found?.status.provisioning?.state === "Creating"; turn += 1) {
    found = await harness.pass(replica, 5_000);
  }
  return found;
}

describe("A cluster that is to be made", () => {
  test("is made step by step, each of which is told, and nobody waits", async () => {
    harness.cloud.readyAfterMs = 4_000;
    await harness.create({ maxNodes: 3 });
    const first = await harness.look(replica);
    expect(first?.metadata.finalizers).toEqual(["bowline.dev/deprovision"]);
    expect(first?.status.provisioning).toEqual({
      state: "Creating",
      step: {
        number: 1,
        of: 3,
        text: "Making the network",
        since: new Date(harness.clock.now()).toISOString(),
        expectedSeconds: 60,
      },
      hourlyCost: "0.30 USD",
      resources: 1,
    });
    expect(conditionsOf(first)).toEqual({
      Progress: "True CreatingNetwork",
      Provisioned: "False CreatingNetwork",
      AgentConnected: "False NotProvisioned",
      Ready: "False CreatingNetwork",
    });
    expect(harness.cloud.calls).toEqual(["create network"]);
    expect(await harness.pass(replica, 4_999)).toEqual(first);
    const second = await harness.pass(replica, 1);
    expect(second?.status.provisioning).toMatchObject({ step: { number: 2 }, resources: 2 });
    await harness.pass(replica, 5_000);
    expect(harness.cloud.calls).toEqual(["create network", "create control-plane", "create nodes"]);
    await harness.pass(replica, 5_000);
    expect(await harness.events()).toEqual(["Normal Creating"]);
  });

  test("does not wait for what it would cost, which a program may take for ever to say", async () => {
    const own = await ProvisioningHarness.open();
    own.cloud.readyAfterMs = 4_000;
    const provider = fakeProvider(own.cloud);
    let asked = 0;
    const plan = (work: ProviderWork): Promise<never> => {
      asked += 1;
      return new Promise((_, reject) => {
        work.signal.addEventListener("abort", () => reject(work.signal.reason as Error), { once: true });
      });
    };
    const slow = own.start({ provider: { ...provider, plan } });
    await own.create();
    await own.look(slow);
    expect(own.cloud.calls).toEqual([]);
    const found = await own.pass(slow, 50_000);
    expect(own.cloud.calls).toEqual(["create network"]);
    expect(found?.status.provisioning).not.toHaveProperty("hourlyCost");
    await own.pass(slow, 5_000);
    expect(own.cloud.calls).toHaveLength(2);
    expect(asked).toBe(1);
  });

  test("is ready when its agent has come, and is looked at from time to time", async () => {
    const found = await made();
    expect(conditionsOf(found)).toMatchObject({
      Provisioned: "True Provisioned",
      Ready: "False WaitingForJoin",
    });
    await harness.connectAgent();
    const ready = await harness.look(replica);
    expect(ready?.status.provisioning).toEqual({ state: "Ready", hourlyCost: "0.10 USD", resources: 3 });
    expect(conditionsOf(ready)).toMatchObject({
      Progress: "False Done",
      AgentConnected: "True Connected",
      Ready: "True Ready",
    });
    const { calls } = harness.cloud;
    // From now on there is only the tunnel.
    expect(calls).toContain("revoke");
    expect(harness.cloud.revocations).toBe(1);
    await harness.pass(replica, 10_000);
    expect(harness.cloud.revocations).toBe(2);
    const before = [...calls];
    const head = await harness.store.changes.head();
    expect(await harness.pass(replica, 5 * 60_000)).toEqual(ready);
    expect([calls, await harness.store.changes.head()]).toEqual([before, head]);
    expect((await harness.metrics.text()).split("\n")).toContain(
      'bowline_provider_steps_total{provider="kind",step="create fake:nodes",result="done"} 1',
    );
  });

  test("is ready though the way in cannot be closed, which is told and tried again for as long as it takes", async () => {
    await made();
    harness.cloud.failures.set("revoke", new BowlineError("ServerUnavailable", "The cloud is down."));
    await harness.connectAgent();
    await harness.look(replica);
    // Longer than anything is tried that fails.
    for (let turn = 0; turn < 60; turn += 1) await harness.pass(replica, 5 * 60_000);
    expect(conditionsOf(await harness.get())).toMatchObject({ Ready: "True Ready" });
    const { items } = await harness.store.events.list();
    expect(items.find(({ reason }) => reason === "AccessNotTakenBack")?.message).toContain(
      "The cloud is down.",
    );
    harness.cloud.failures.clear();
    await harness.pass(replica, 60_000);
    expect(harness.cloud.revocations).toBe(1);
  });

  test("goes on with what its object says then, when that was edited in the middle", async () => {
    await harness.create({ maxNodes: 1 });
    await harness.look(replica);
    await harness.edit({ maxNodes: 4 });
    await harness.look(replica);
    for (let turn = 0; turn < 4; turn += 1) await harness.pass(replica, 5_000);
    expect(harness.cloud.things).toMatchObject([{}, {}, { type: "nodes", size: 4 }]);
    await harness.connectAgent();
    await harness.look(replica);
    await harness.edit({ maxNodes: 5 });
    const updating = await harness.look(replica);
    expect(updating?.status.provisioning).toMatchObject({ state: "Updating", hourlyCost: "0.50 USD" });
    expect(conditionsOf(updating)).toMatchObject({ Progress: "True Updating", Ready: "True Ready" });
    const done = await harness.pass(replica, 10_000);
    expect(done?.status.provisioning?.state).toBe("Ready");
    expect(harness.cloud.calls.filter((call) => call.startsWith("create"))).toHaveLength(3);
  });

  test("waits for a person where its provider says why, and goes on by itself afterwards", async () => {
    const refusal = new BowlineError("Forbidden", "The quota of 5 networks is used up.", {
      details: { reason: "QuotaTooLow" },
    });
    harness.cloud.failures.set("create network", refusal);
    harness.cloud.readyAfterMs = 60 * 60_000;
    await harness.create();
    const blocked = await harness.look(replica);
    expect(blocked?.status.provisioning?.state).toBe("Blocked");
    expect(blocked?.status.conditions.find(({ type }) => type === "Ready")).toMatchObject({
      status: "False",
      reason: "QuotaTooLow",
      message: "The quota of 5 networks is used up.",
    });
    expect(await harness.events()).toEqual(["Warning QuotaTooLow"]);
    await harness.pass(replica, 60_000);
    expect(await harness.events()).toEqual(["Warning QuotaTooLow"]);
    harness.cloud.failures.clear();
    const found = await harness.pass(replica, 60_000);
    expect(found?.status.provisioning?.state).toBe("Creating");
    expect(harness.cloud.calls).toEqual(["create network"]);
  });

  test("is tried again later and later when its provider fails, and is given up as a dead letter in the end", async () => {
    harness.cloud.readyAfterMs = 24 * 60 * 60_000;
    harness.cloud.failures.set("create network", new BowlineError("ServerUnavailable", "The cloud is down."));
    await harness.create();
    await harness.look(replica);
    for (let turn = 0; turn < 60; turn += 1) await harness.pass(replica, 5 * 60_000);
    expect(await harness.events()).toContain("Warning ServerUnavailable");
    const given = await harness.get();
    expect(given?.status.observedGeneration).not.toBe(given?.metadata.generation);
    harness.cloud.failures.clear();
    // As the sweeper does, which finds that nobody has observed it.
    const found = await harness.look(replica);
    expect(found?.status.provisioning?.state).toBe("Creating");
  });

  test("that is lost is shown, and never made again by itself", async () => {
    await made();
    await harness.connectAgent();
    await harness.look(replica);
    harness.cloud.things = [];
    const calls = [...harness.cloud.calls];
    const lost = await harness.look(replica);
    expect(lost?.status.provisioning?.state).toBe("Lost");
    expect(conditionsOf(lost)).toMatchObject({ Provisioned: "False Lost", Ready: "False Lost" });
    await harness.pass(replica, 60 * 60_000);
    expect(harness.cloud.calls).toEqual(calls);
    expect((await harness.events()).filter((event) => event === "Warning Lost")).toHaveLength(1);
  });

  test("shows no credential, whatever its provider says or throws", async () => {
    const secret = 'c4nary-"s3cret/+';
    const forms = [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      Buffer.from(secret).toString("base64"),
    ];
    harness = await ProvisioningHarness.open();
    await harness.store.objects.create(Credential, credential("cloud", { key: secret }));
    const inner = fakeProvider(harness.cloud);
    let turn = 0;
    const next: typeof inner.next = async (work) => {
      const { key = "" } = await work.credential("cloud");
      turn += 1;
      const said = forms.join(" or ");
      if (turn % 2 === 1) throw new Error(`GET https://cloud/?k=${key} failed`, { cause: new Error(said) });
      return { state: "blocked", reason: "NotPermitted", message: `The key ${said} may not do this.` };
    };
    replica = harness.start({ provider: { ...inner, next } });
    await harness.create();
    await harness.look(replica);
    const blocked = await harness.pass(replica, 60_000);
    expect(blocked?.status.conditions.find(({ type }) => type === "Ready")).toMatchObject({
      message: "The key [Redacted] or [Redacted] or [Redacted] or [Redacted] may not do this.",
    });
    await harness.pass(replica, 60_000);
    await harness.pass(replica, 120_000);
    const everything = [
      harness.logged,
      await harness.get(),
      await harness.store.events.list(),
      await harness.store.audit.list(),
    ];
    expect(harness.logged.join("\n")).toContain("Reconcile failed");
    const text = JSON.stringify(everything);
    for (const form of [...forms, JSON.stringify(JSON.stringify(secret)).slice(3, -3)]) {
      expect(text).not.toContain(form);
    }
  });

  test("has a provider whose answers are out of bounds cut down to what a status may say", async () => {
    harness = await ProvisioningHarness.open();
    const inner = fakeProvider(harness.cloud);
    const text = `line\n${"x".repeat(10_000)}`;
    replica = harness.start({
      provider: {
        ...inner,
        observe: () =>
          Promise.resolve({
            state: "lost",
            reason: "no word at all",
            message: text,
            step: { number: Number.NaN, of: 1e9, text, expectedSeconds: -1 },
            retryAfterMs: Number.NaN,
          }),
      },
    });
    await harness.create();
    const found = await harness.look(replica);
    expect(conditionsOf(found)["Ready"]).toBe("False Lost");
    expect(found?.status.provisioning?.step).toMatchObject({ number: 1, of: 10_000, expectedSeconds: 0 });
  });
});
