import { DomainName, Gateway } from "@bowline/api";
import { expect, test } from "vitest";

import { DyingProcess, type Moment } from "../gateways/testing/dying-process.ts";
import { DomainStage } from "./testing/domain-stage.ts";

const host = "shop.example.com";
const two = { a: ["192.0.2.1"], b: ["192.0.2.2"] };
const none: string[] = [];
const toA = ["60 A 192.0.2.1"];
const toB = ["60 A 192.0.2.2"];
const toBoth = [...toA, ...toB];

interface RecordChange {
  readonly policy?: "single" | "all";
  /** Up to where the next turn makes the change. */
  readonly prepare: (stage: DomainStage) => Promise<void>;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** The event that tells of it, not before it is so. */
  readonly told?: RegExp;
}

const changes: Readonly<Record<string, RecordChange>> = {
  "makes records": { prepare: async () => undefined, before: none, after: toA },
  "leads them to another cluster": { prepare: loseA, before: toA, after: toB, told: /^FailedOver: / },
  "leads them back": {
    prepare: async (stage) => {
      await loseA(stage);
      await stage.turns(10_000);
      stage.silent.clear();
      await untilSteady(stage, { forMs: 300_000 });
    },
    before: toB,
    after: toA,
    told: /^Returned: /,
  },
  "takes one of several clusters out": {
    policy: "all",
    prepare: loseA,
    before: toBoth,
    after: toB,
    told: /^FailedOver: /,
  },
  "follows an address": {
    prepare: async (stage) => {
      await stage.turn();
      await stage.gateway({ ...two, a: ["192.0.2.7"] });
    },
    before: toA,
    after: ["60 A 192.0.2.7"],
  },
  "removes those of a Gateway": {
    prepare: async (stage) => {
      await stage.turn();
      await stage.store.objects.delete(Gateway, "shop");
    },
    before: toA,
    after: none,
  },
  "removes all of them": {
    prepare: async (stage) => {
      await stage.turn();
      await stage.store.objects.delete(DomainName, "example-com");
    },
    before: toA,
    after: none,
  },
};

test.each(Object.entries(changes))(
  "A server that dies at any of its writes while it %s leaves what was there or what is to be, and the next one goes on",
  async (_, change) => {
    for (const moment of ["before", "after"] as const) {
      let at = 0;
      while (await diesAt(at, moment, change)) at += 1;
      // In the zone, and in the store.
      expect(at).toBeGreaterThanOrEqual(2);
    }
  },
);

test.each(Object.entries(changes))(
  "Servers that die one after the other while they would do so come to its end: %s",
  async (_, change) => {
    const stage = await stageOf(change);
    const changed = stage.dns.changes.length;
    let deaths = 0;
    for (let hasDied = true; hasDied; deaths += 1) {
      const dying = new DyingProcess(deaths);
      await stage.dyingTurn(dying);
      await expectEither(stage, change);
      ({ hasDied } = dying);
    }
    expect(deaths).toBeGreaterThanOrEqual(2);
    await expectTheEnd(stage, change, changed);
  },
);

test("A server that dies at any of its writes while records move to another zone leaves them in one of the two at least, and the next one in the new alone", async () => {
  for (const moment of ["before", "after"] as const) {
    for (let at = 0, isOver = false; !isOver; at += 1) {
      const stage = await movingStage();
      for (const dying of [new DyingProcess(at, moment), new DyingProcess(at, moment)]) {
        await stage.dyingTurn(dying);
        expect([...stage.dns.records(host), ...stage.dns.records(host, host)].slice(0, 1)).toEqual(toA);
        isOver = !dying.hasDied;
      }
      stage.restart();
      await stage.turns(1_000);
      expect(stage.dns.records(host)).toEqual(none);
      expect(stage.dns.records(host, host)).toEqual(toA);

      // The same, and everything is deleted before anybody goes on.
      const deserted = await movingStage();
      await deserted.dyingTurn(new DyingProcess(at, moment));
      deserted.restart();
      await expectNothingLeft(deserted);
    }
  }
});

/** The next turn moves records from one zone to another. */
async function movingStage(): Promise<DomainStage> {
  const stage = await DomainStage.open();
  await stage.domain({ domain: host, zone: "example.com" });
  await stage.gateway(two);
  await stage.turn();
  await stage.domain({ domain: host, zone: host });
  return stage;
}

/** False when there is no such write any more. */
async function diesAt(at: number, moment: Moment, change: RecordChange): Promise<boolean> {
  const [dying, another] = [new DyingProcess(at, moment), new DyingProcess(at, moment)];
  const stage = await stageOf(change);
  const changed = stage.dns.changes.length;
  await stage.dyingTurn(dying);
  await expectEither(stage, change);
  await expectTheEnd(stage, change, changed);

  // The same, and everything is deleted before anybody goes on.
  const deserted = await stageOf(change);
  await deserted.dyingTurn(another);
  await deserted.store.objects.delete(Gateway, "shop").catch(() => undefined);
  deserted.restart();
  await expectNothingLeft(deserted);
  return dying.hasDied;
}

async function stageOf({ policy = "single", prepare, before }: RecordChange): Promise<DomainStage> {
  const stage = await DomainStage.open();
  await stage.domain({ policy });
  await stage.gateway(two);
  await prepare(stage);
  expect(stage.dns.records(host)).toEqual(before);
  return stage;
}

async function expectEither(stage: DomainStage, { before, after, told }: RecordChange): Promise<void> {
  const { dns } = stage;
  const isBefore = dns.records(host).join() === before.join();
  expect(isBefore && (await hasTold(stage, told))).toBe(false);
  expect([before, after]).toContainEqual(dns.records(host));
  expect(dns.ownerOf(host)).toBe(dns.records(host).length === 0 ? undefined : "here/example-com");
}

async function hasTold(stage: DomainStage, told: RegExp | undefined): Promise<boolean> {
  return told !== undefined && (await stage.events()).some((event) => told.test(event));
}

/** The next server comes to what is to be, by one change in all, and deletion leaves nothing. */
async function expectTheEnd(
  stage: DomainStage,
  { after, told }: RecordChange,
  changed: number,
): Promise<void> {
  stage.restart();
  await stage.turns(1_000);
  expect(await hasTold(stage, told)).toBe(told !== undefined);
  expect(stage.dns.records(host)).toEqual(after);
  expect(stage.dns.changes).toHaveLength(changed + 1);
  await expectNothingLeft(stage);
}

async function expectNothingLeft(stage: DomainStage): Promise<void> {
  await stage.store.objects.delete(DomainName, "example-com").catch(() => undefined);
  await stage.turn();
  expect(stage.dns.size).toBe(0);
  expect(await stage.store.objects.get(DomainName, "example-com")).toBeUndefined();
}

async function loseA(stage: DomainStage): Promise<void> {
  await stage.turns(60_000);
  stage.silent.add("192.0.2.1");
  await untilSteady(stage, { forMs: 30_000 });
}

/** The next turn decides that it has been so for long enough: until then one look has followed the other. */
async function untilSteady(stage: DomainStage, { forMs }: { readonly forMs: number }): Promise<void> {
  await stage.turn();
  const beganMs = stage.clock.now();
  let inMs = await stage.turn();
  while (stage.clock.now() + inMs < beganMs + forMs) inMs = await stage.turn(inMs);
  await stage.clock.advance(beganMs + forMs - stage.clock.now());
}
