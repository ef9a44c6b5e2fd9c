import { Credential, DomainName } from "@bowline/api";
import { systemClock } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import type { ZoneWriter } from "@bowline/dns";
import { FakeAccount, testKey } from "@bowline/providers/testing/eks";
import { describe, expect, onTestFinished, test } from "vitest";

import { zoneOpener } from "./open-zone.ts";
import { recordTexts } from "./record-sets.ts";
import { DomainStage } from "./testing/domain-stage.ts";

const host = "shop.example.com";
const two = { a: ["192.0.2.1"], b: ["192.0.2.2"] };
const away = { ready: "Unknown" as const, reason: "AgentDisconnected", addresses: [], checks: [] };
const place = { provider: "route53", zone: "example.com" } as const;
const { signal } = new AbortController();

type DomainSpec = Parameters<DomainStage["domain"]>[0];

interface Policy {
  readonly spec: DomainSpec;
  readonly together: readonly string[];
  /** When a is lost. */
  readonly alone: readonly string[];
}

const policies: Readonly<Record<string, Policy>> = {
  "to one": { spec: { policy: "single" }, together: ["60 A 192.0.2.1"], alone: ["60 A 192.0.2.2"] },
  "to all": {
    spec: { policy: "all" },
    together: ["60 A 192.0.2.1", "60 A 192.0.2.2"],
    alone: ["60 A 192.0.2.2"],
  },
  "by weight": {
    spec: { policy: "weighted", weights: { a: 3 } },
    together: ["60 A 192.0.2.1 (a, weight 3)", "60 A 192.0.2.2 (b, weight 1)"],
    alone: ["60 A 192.0.2.2 (b, weight 1)"],
  },
  "by distance": {
    spec: { policy: "latency", regions: { a: "eu-central-1", b: "us-east-1" } },
    together: ["60 A 192.0.2.1 (a, eu-central-1)", "60 A 192.0.2.2 (b, us-east-1)"],
    alone: ["60 A 192.0.2.2 (b, us-east-1)"],
  },
};

/** Route 53 with a zone, and records that lead to two clusters. */
class Route53Stage {
  readonly #account: FakeAccount;
  readonly #reader: ZoneWriter;
  readonly stage: DomainStage;

  static async open({ spec }: Policy): Promise<Route53Stage> {
    const account = await FakeAccount.open(new ManualClock(), () => undefined);
    onTestFinished(() => account[Symbol.asyncDispose]());
    account.aws.world.settings.route53PerSecond = 10_000;
    account.aws.addHostedZone("example.com");
    // Its share of the calls of an account comes back as fast as it is used.
    const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() * 10_000 };
    const openZone = zoneOpener({ clock, random: Math.random, aws: account.api });
    const stage = await DomainStage.open(openZone);
    await stage.store.objects.create(Credential, {
      metadata: { name: "aws", labels: {}, annotations: {} },
      spec: { type: "aws", data: { ...testKey } },
    });
    await stage.domain({ provider: "route53", credential: "aws", ...spec });
    await stage.gateway(two);
    await stage.turns(60_000);
    return new Route53Stage(stage, account, openZone(place, { ...testKey }));
  }

  private constructor(stage: DomainStage, account: FakeAccount, reader: ZoneWriter) {
    this.stage = stage;
    this.#account = account;
    this.#reader = reader;
  }

  /** As Route 53 tells them. */
  async records(): Promise<string[]> {
    return recordTexts((await this.#reader.look(host, signal)).sets).toSorted();
  }

  /** How often they were changed. */
  get changes(): number {
    return this.#account.aws.calls.filter((action) => action === "route53:ChangeResourceRecordSets").length;
  }

  /** Its agent goes, nobody knows its addresses any more, and nothing answers there. */
  async loseA(): Promise<void> {
    this.stage.silent.add("192.0.2.1");
    await this.stage.gateway({ ...two, a: away });
    await this.stage.agent("a", "away");
  }

  async findA(): Promise<void> {
    this.stage.silent.clear();
    await this.stage.gateway(two);
  }
}

describe.each(Object.entries(policies))("Records in Route 53 that lead to two clusters, %s,", (_, policy) => {
  const { together, alone } = policy;

  test("leave out the one that is offline when it is lost, and not before; they lead there again when it has answered for long", async () => {
    const route53 = await Route53Stage.open(policy);
    const { stage } = route53;
    expect(await route53.records()).toEqual(together);
    await route53.loseA();
    await stage.turns(29_000);
    expect(await route53.records()).toEqual(together);
    await stage.turns(10_000);
    expect(await route53.records()).toEqual(alone);
    expect(await stage.ready()).toBe("True FailedOver: It leads to b, in place of a.");
    // Whoever goes on knows that it was lost.
    stage.restart();
    await stage.turns(60_000);
    await route53.findA();
    await stage.turns(290_000);
    expect(await route53.records()).toEqual(alone);
    await stage.turns(20_000);
    expect(await route53.records()).toEqual(together);
    expect(await stage.ready()).toMatch(/^True Reachable/u);
    expect(await stage.events()).toEqual([
      expect.stringMatching(/^FailedOver: shop.example.com leads to b now, and no longer to a/u),
      expect.stringMatching(/^(?:Returned|Joined): /u),
    ]);
    expect(route53.changes).toBe(3);

    await stage.store.objects.delete(DomainName, "example-com");
    await stage.turn();
    expect(await route53.records()).toEqual([]);
    expect(await stage.store.objects.get(DomainName, "example-com")).toBeUndefined();
  });

  test("stay as they are while none answers", async () => {
    const route53 = await Route53Stage.open(policy);
    await route53.loseA();
    route53.stage.silent.add("192.0.2.2");
    await route53.stage.turns(120_000);
    expect(await route53.records()).toEqual(together);
    expect(route53.changes).toBe(1);
    expect(await route53.stage.ready()).toMatch(/^False NoHealthyCluster/u);
  });
});
