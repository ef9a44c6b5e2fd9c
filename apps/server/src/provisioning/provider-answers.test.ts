import { Cluster } from "@bowline/api";
import type { Provider, ProviderAnswer, ProviderWork } from "@bowline/providers";
import { fakeProvider } from "@bowline/providers/testing";
import { beforeEach, describe, expect, test } from "vitest";

import { conditionsOf, ProvisioningHarness, type Replica } from "./testing/provisioning-harness.ts";

let harness: ProvisioningHarness;

beforeEach(async () => {
  harness = await ProvisioningHarness.open();
});

const minuteMs = 60_000;
const messageOf = (found: Cluster | undefined, wanted: string): string =>
  found?.status.conditions.find(({ type }) => type === wanted)?.message ?? "";

/** A provider that does not answer one question about the cluster `web`, until it is told what to answer. */
class Silence {
  isOver = false;
  readonly works: ProviderWork[] = [];
  readonly #late: ((answer: never) => void)[] = [];

  provider(question: "observe" | "next" | "delete" | "plan" | "credentials"): Provider {
    const inner = fakeProvider(harness.cloud);
    const asked = inner[question] as (work: ProviderWork) => Promise<unknown>;
    const silent = async (work: ProviderWork): Promise<unknown> => {
      if (this.isOver || work.cluster.name !== "web") return asked(work);
      this.works.push(work);
      return new Promise((resolve) => this.#late.push(resolve));
    };
    return { ...inner, [question]: silent };
  }

  /** To all that were asked until now. */
  async answer(answer: unknown): Promise<void> {
    for (const resolve of this.#late.splice(0)) resolve(answer as never);
    await harness.clock.settle();
  }
}

/** Rounds of a minute each. */
async function pass(replica: Replica, minutes: number, name = "web"): Promise<Cluster | undefined> {
  for (let turn = 0; turn < minutes; turn += 1) await harness.pass(replica, minuteMs, name);
  return harness.get(name);
}

describe("A provider that never answers", () => {
  test.each([["observe"], ["next"]] as const)(
    "when it is asked to %s is told of after eleven minutes, and its late answer is none",
    async (question) => {
      const silence = new Silence();
      const replica = harness.start({ provider: silence.provider(question) });
      await harness.create();
      await harness.look(replica);
      const waiting = await pass(replica, 10);
      expect(waiting?.status.provisioning?.state).toBe("Pending");
      expect(replica.controller.state().queue.active).toBe(1);
      const told = await pass(replica, 1);
      expect(conditionsOf(told)).toMatchObject({
        Progress: "False ProviderSilent",
        Provisioned: "False ProviderSilent",
        Ready: "False ProviderSilent",
      });
      expect(messageOf(told, "Ready")).toBe(
        'The provider "kind" has not answered for 11 minutes; it is asked again.',
      );
      expect(await harness.events()).toContain("Warning ProviderSilent");
      // The worker is free, and nobody holds the key.
      expect(replica.controller.state()).toMatchObject({ active: [], queue: { active: 0 } });
      await silence.answer({ state: "ready" });
      expect(await harness.get()).toEqual(told);
      silence.isOver = true;
      harness.cloud.readyAfterMs = 60 * minuteMs;
      const going = await pass(replica, 1);
      expect(going?.status.provisioning).toMatchObject({ state: "Creating", step: { number: 1 } });
      expect(harness.cloud.calls).toEqual(["create network"]);
    },
  );

  test("is waited for by its own cluster only", async () => {
    const replica = harness.start({ provider: new Silence().provider("next") });
    await harness.create();
    await harness.create({}, "db");
    await harness.look(replica);
    await harness.look(replica, "db");
    const other = await pass(replica, 2, "db");
    expect(other?.status.provisioning?.state).toBe("Provisioned");
    expect(harness.cloud.things.map(({ clusterId }) => clusterId)).toEqual(
      Array.from({ length: 3 }, () => other?.metadata.id),
    );
    expect(replica.controller.state().queue.active).toBe(1);
  });

  test("gives the lease back, so that another replica goes on at once", async () => {
    const doomed = harness.start({ owner: "one", provider: new Silence().provider("next") });
    const other = harness.start({ owner: "two" });
    await harness.create();
    await harness.look(doomed);
    await harness.look(other);
    await pass(other, 10);
    expect(harness.cloud.calls).toEqual([]);
    await pass(doomed, 1);
    await harness.look(other);
    expect(harness.cloud.calls).toContain("create network");
  });

  test("in a deletion is told of, and the deletion goes on when it answers again", async () => {
    const silence = new Silence();
    const replica = harness.start({ provider: silence.provider("delete") });
    await harness.create();
    await harness.look(replica);
    await pass(replica, 1);
    await harness.store.objects.delete(Cluster, "web");
    await harness.look(replica);
    const told = await pass(replica, 11);
    expect(conditionsOf(told)).toMatchObject({ Progress: "False ProviderSilent" });
    expect(harness.cloud.things).toHaveLength(3);
    await silence.answer({ state: "gone" });
    expect(await harness.get()).toEqual(told);
    silence.isOver = true;
    expect(await pass(replica, 10)).toBeUndefined();
    expect(harness.cloud.things).toEqual([]);
  });

  test("with a way in is told of as what keeps the agent from being installed", async () => {
    const replica = harness.start({ provider: new Silence().provider("credentials") });
    await harness.create();
    await harness.look(replica);
    const told = await pass(replica, 12);
    expect(conditionsOf(told)).toMatchObject({
      Provisioned: "True Provisioned",
      Ready: "False WaitingForJoin",
    });
    expect(messageOf(told, "AgentConnected")).toContain("has not answered for 11 minutes");
  });

  test("and goes on after all can begin no call and write no record", async () => {
    const silence = new Silence();
    const replica = harness.start({ provider: silence.provider("next") });
    await harness.create();
    await harness.look(replica);
    await pass(replica, 11);
    const [late] = silence.works;
    if (late === undefined) throw new Error("Nobody was asked.");
    expect(late.signal.aborted).toBe(true);
    let calls = 0;
    const call = late.call("create fake:network network", () => Promise.resolve((calls += 1)));
    await expect(call).rejects.toMatchObject({ code: "Timeout" });
    const record = { step: "network", type: "fake:network", attempt: 1, token: "a", intentAtMs: 0 };
    const put = late.records.put({ ...record, state: "ready", id: "late", attributes: {} });
    await expect(put).rejects.toMatchObject({ code: "Timeout" });
    expect(calls).toBe(0);
    expect(await late.records.list()).toEqual([]);
  });
});

/** The cluster after one look, and what was logged. */
async function after(answer: unknown): Promise<Cluster | undefined> {
  const observe = () => Promise.resolve(answer as ProviderAnswer);
  const replica = harness.start({ provider: { ...fakeProvider(harness.cloud), observe } });
  await harness.create();
  return harness.look(replica);
}

describe("A provider that answers without bounds", () => {
  const long = "x".repeat(1024 * 1024);

  test("has a long sentence cut in conditions and events", async () => {
    const found = await after({ state: "lost", reason: long, message: long });
    for (const type of ["Progress", "Provisioned", "Ready"]) {
      expect(conditionsOf(found)[type]).toBe("False Lost");
      expect(messageOf(found, type)).toHaveLength(4_096);
    }
    const { items } = await harness.store.events.list();
    expect(items.find(({ reason }) => reason === "Lost")?.message).toHaveLength(4_096);
    expect(harness.logged.join("").length).toBeLessThan(100_000);
  });

  test("has thousands of names of what is left cut to a hundred", async () => {
    const names = Array.from({ length: 5_000 }, (_, at) => `volume\n${at} ${"y".repeat(3_000)}`);
    const leftOver = (): Promise<ProviderAnswer> => Promise.resolve({ state: "blocked", leftOver: names });
    const replica = harness.start({ provider: { ...fakeProvider(harness.cloud), delete: leftOver } });
    await harness.create();
    await harness.look(replica);
    await harness.store.objects.delete(Cluster, "web");
    const found = await harness.look(replica);
    expect(conditionsOf(found)["Progress"]).toBe("False LeftOver");
    expect(messageOf(found, "Progress")).toHaveLength(1_024);
    const told = found?.status.provisioning?.leftOver ?? [];
    expect(told).toHaveLength(100);
    expect(told[0]).toMatch(/^volume 0 y/u);
    expect(Math.max(...told.map((name) => name.length))).toBe(2_048);
  });
});

describe("A provider that answers nonsense", () => {
  test.each([
    ["nothing", undefined, "undefined"],
    ["null", null, "null"],
    ["a text", "ready", '"ready"'],
    ["a list", [{ state: "ready" }], '[{"state":"ready"}]'],
    ["no state", { message: "fine" }, '{"message":"fine"}'],
    ["a state that there is not", { state: "constructor" }, '{"state":"constructor"}'],
    ["a large one", { state: ["x".repeat(100_000)] }, '{"state":["xxx'],
  ])("%s is quoted, and taken for nothing", async (_, answer, quoted) => {
    const found = await after(answer);
    expect(conditionsOf(found)).toMatchObject({
      Progress: "False ProviderAnswerInvalid",
      Ready: "False ProviderAnswerInvalid",
    });
    expect(messageOf(found, "Ready")).toContain(
      `said nothing that can be understood, and is asked again: ${quoted}`,
    );
    expect(messageOf(found, "Ready").length).toBeLessThan(400);
    expect(harness.cloud.calls).toEqual([]);
  });

  test("in some fields has the others taken", async () => {
    const found = await after({
      state: "lost",
      reason: { not: "a word" },
      message: ["no text"],
      step: { number: 1, of: 2 },
      retryAfterMs: "soon",
      leftOver: "everything",
    });
    expect(conditionsOf(found)["Ready"]).toBe("False Lost");
    expect(messageOf(found, "Ready")).toContain("The cluster was there, and is gone");
    expect(found?.status.provisioning).toEqual({ state: "Lost", resources: 0, hourlyCost: "0.10 USD" });
  });

  test("about what it would cost has nothing told of that", async () => {
    for (const plan of [null, { hourlyCost: "much" }, { hourlyCost: { amount: NaN, currency: "USD" } }]) {
      harness = await ProvisioningHarness.open();
      const provider = { ...fakeProvider(harness.cloud), plan: () => Promise.resolve(plan as never) };
      const replica = harness.start({ provider });
      await harness.create();
      const found = await harness.look(replica);
      expect(harness.cloud.calls).toContain("create network");
      expect(found?.status.provisioning).not.toHaveProperty("hourlyCost");
    }
  });
});
