import { createLogger, Metrics } from "@bowline/core";
import { fakeProvider } from "@bowline/providers/testing";
import { expect, onTestFinished, test } from "vitest";

import { findOrphans, type OrphanFinding } from "./find-orphans.ts";
import { OrphanReport } from "./orphan-report.ts";
import { ProvisioningHarness } from "./testing/provisioning-harness.ts";

const hourMs = 60 * 60_000;
const build = { version: "test", revision: "test" };

/** Replicas that look for orphans once an hour. */
async function started(owners: readonly string[]) {
  const harness = await ProvisioningHarness.open();
  const { store, clock, cloud } = harness;
  const provider = fakeProvider(cloud);
  let looks = 0;
  const slow = { ms: 0 };
  const missed: string[] = [];
  const counted: typeof provider = {
    ...provider,
    orphans: async (search) => {
      looks += 1;
      for (const place of missed) search.onMissed(place, new Error("It does not answer."));
      if (slow.ms > 0) await clock.sleep(slow.ms, search.signal);
      return (await provider.orphans?.(search)) ?? [];
    },
  };
  const stop = new AbortController();
  const logger = createLogger({ name: "test", level: "silent" });
  const metrics = owners.map(() => new Metrics(build));
  const providers = new Map([[provider.name, counted]]);
  const running = metrics.map((each, index) => {
    const owner = owners[index] ?? "";
    const shared = { store, leases: store.leases, clock, random: () => 0, logger, providers };
    return new OrphanReport({ ...shared, owner, metrics: each }).run(stop.signal);
  });
  onTestFinished(async () => {
    stop.abort();
    await clock.settle();
    await Promise.all(running);
  });
  const told = async (): Promise<string[]> => {
    const texts = await Promise.all(metrics.map((each) => each.text()));
    return texts.flatMap((text) => text.split("\n").filter((line) => line.startsWith("bowline_provider_")));
  };
  const anHour = async (): Promise<void> => {
    await clock.advance(hourMs);
    for (let turn = 0; turn < 20; turn += 1) await clock.settle();
  };
  const look = async (): Promise<OrphanFinding> =>
    findOrphans({ store, providers, clock, logger }, stop.signal);
  return { harness, told, anHour, look, missed, slow, looks: () => looks };
}

test("What is left outside of a cluster that nobody knows is told, by one replica, once an hour", async () => {
  const { harness, told, anHour, looks } = await started(["one", "two"]);
  const thing = { type: "disk", token: "t", clusterId: "018f0000-0000-7000-8000-000000000099", size: 1 };
  harness.cloud.create(thing, 0);
  const replica = harness.start();
  await harness.create();
  await harness.look(replica);
  await anHour();
  expect(looks()).toBe(1);
  expect(await told()).toEqual(
    expect.arrayContaining([
      'bowline_provider_orphans{provider="kind"} 1',
      expect.stringMatching(/^bowline_provider_resources\{provider="kind",state="\w+"\} [1-3]$/u),
    ]),
  );
  const { items } = await harness.store.events.list();
  expect(items.find(({ reason }) => reason === "OrphanedResources")).toMatchObject({
    type: "Warning",
    regarding: { kind: "Cluster", name: thing.clusterId },
    message: expect.stringContaining("disk disk-1"),
  });
  harness.cloud.remove("disk-1");
  await anHour();
  expect(await told()).toContain('bowline_provider_orphans{provider="kind"} 0');
});

test("What a known cluster has and nobody remembers, as after a restore of an older backup, is an orphan too", async () => {
  const { harness, told, anHour } = await started(["one"]);
  const { metadata } = await harness.create();
  harness.cloud.create({ type: "disk", token: "forgotten", clusterId: metadata.id, size: 1 }, 0);
  await anHour();
  expect(await told()).toContain('bowline_provider_orphans{provider="kind"} 1');
});

test("A place that cannot be looked at hides nothing in the others, and is named", async () => {
  const { harness, told, anHour, look, missed } = await started(["one"]);
  const clusterId = "018f0000-0000-7000-8000-000000000099";
  harness.cloud.create({ type: "disk", token: "t", clusterId, size: 1 }, 0);
  missed.push("eu-west-1 by the Credential old");
  const finding = look();
  await harness.clock.settle();
  expect(await finding).toMatchObject({
    orphans: [{ type: "disk", provider: "kind" }],
    notAsked: ["kind (eu-west-1 by the Credential old)"],
  });
  await anHour();
  expect(await told()).toContain('bowline_provider_orphans{provider="kind"} 1');
});

test("Once an hour there is time for a look at many clusters", async () => {
  const stage = await started(["one"]);
  const clusterId = "018f0000-0000-7000-8000-000000000099";
  stage.harness.cloud.create({ type: "disk", token: "t", clusterId, size: 1 }, 0);
  stage.slow.ms = 5 * 60_000;
  await stage.anHour();
  await stage.harness.clock.advance(5 * 60_000);
  await expect.poll(stage.told).toContain('bowline_provider_orphans{provider="kind"} 1');
});
