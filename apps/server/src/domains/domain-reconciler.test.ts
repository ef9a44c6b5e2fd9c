import { Cluster, Credential, DomainName, Gateway } from "@bowline/api";
import { describe, expect, test } from "vitest";

import { DomainStage } from "./testing/domain-stage.ts";

const host = "shop.example.com";
const two = { a: ["192.0.2.1"], b: ["192.0.2.2"] };
const toA = ["60 A 192.0.2.1"];
const toB = ["60 A 192.0.2.2"];

describe("A host in two clusters", () => {
  test("has records that lead to the preferred one, and tells so", async () => {
    const stage = await DomainStage.open();
    await stage.domain();
    await stage.gateway(two);
    await stage.turn();
    expect(stage.dns.records(host)).toEqual(toA);
    expect(stage.dns.ownerOf(host)).toBe("here/example-com");
    expect(await stage.ready()).toBe("True Reachable: It leads to a.");
    const domain = await stage.store.objects.get(DomainName, "example-com");
    expect(domain?.status).toMatchObject({ hostCount: 1, readyCount: 1 });
    expect(domain?.status.hosts[0]).toMatchObject({
      host,
      active: ["a"],
      records: toA,
      place: { provider: "rfc2136", zone: "example.com", server: "192.0.2.53" },
      clusters: [
        { cluster: "a", healthy: "True", addresses: ["192.0.2.1"] },
        { cluster: "b", healthy: "True", addresses: ["192.0.2.2"] },
      ],
    });
  });

  test("leads to the other in the promised time when one is lost, with its agent, and back when it has answered for long", async () => {
    const stage = await DomainStage.open();
    await stage.domain();
    await stage.gateway(two);
    await stage.turns(60_000);
    stage.silent.add("192.0.2.1");
    await stage.agent("a", "away");
    const lostAtMs = stage.clock.now();
    while (stage.dns.records(host).join() !== toB.join()) {
      await stage.turn(await stage.turn());
      expect(stage.clock.now() - lostAtMs).toBeLessThanOrEqual(37_500);
    }
    expect(stage.clock.now() - lostAtMs).toBeGreaterThanOrEqual(30_000);
    expect(await stage.ready()).toBe("True FailedOver: It leads to b, in place of a.");
    stage.silent.clear();
    await stage.agent("a", "here");
    await stage.turns(299_000);
    expect(stage.dns.records(host)).toEqual(toB);
    await stage.turns(10_000);
    expect(stage.dns.records(host)).toEqual(toA);
    expect(stage.dns.changes).toHaveLength(3);
    expect(await stage.events()).toEqual([
      expect.stringMatching(
        /^FailedOver: shop.example.com leads to b now, and no longer to a. a: .*refused$/,
      ),
      expect.stringMatching(/^Returned: shop.example.com leads to a now, and no longer to b.$/),
    ]);
    const counted = await stage.metrics.text();
    expect(counted).toContain('bowline_domain_switches_total{domain="example-com",reason="FailedOver"} 1');
  });

  test("is told to lead elsewhere when its records do, and not while they cannot be written", async () => {
    const stage = await DomainStage.open();
    await stage.domain();
    await stage.gateway(two);
    await stage.turns(60_000);
    stage.silent.add("192.0.2.1");
    stage.dns.isDown = true;
    await stage.turns(60_000);
    const domain = await stage.store.objects.get(DomainName, "example-com");
    expect(domain?.status.hosts[0]).toMatchObject({ active: ["b"], records: toA });
    expect(await stage.events()).toEqual([]);
    expect(await stage.metrics.text()).not.toContain('reason="FailedOver"');
    stage.restart();
    stage.dns.isDown = false;
    await stage.turns(60_000);
    expect(stage.dns.records(host)).toEqual(toB);
    expect(await stage.events()).toEqual([
      expect.stringMatching(/^FailedOver: shop.example.com leads to b now, .* to a. a: .*refused$/),
    ]);
    expect(await stage.metrics.text()).toContain('reason="FailedOver"} 1');
  });

  test("is told nothing of when it is to lead back before anything was written", async () => {
    const stage = await DomainStage.open();
    await stage.domain();
    await stage.gateway(two);
    await stage.turns(60_000);
    stage.silent.add("192.0.2.1");
    stage.dns.isDown = true;
    await stage.turns(60_000);
    stage.silent.clear();
    await stage.turns(330_000);
    stage.dns.isDown = false;
    await stage.turns(60_000);
    expect(stage.dns.records(host)).toEqual(toA);
    expect(stage.dns.changes).toHaveLength(1);
    expect(await stage.events()).toEqual([]);
  });

  test("stays where it is while that answers, though its agent is away and nobody knows its addresses", async () => {
    const stage = await DomainStage.open();
    await stage.domain();
    await stage.gateway(two);
    await stage.turn();
    const away = { ready: "Unknown" as const, reason: "AgentDisconnected", addresses: [], checks: [] };
    await stage.gateway({ a: away, b: ["192.0.2.2"] });
    await stage.agent("a", "away");
    await stage.turns(120_000);
    expect(stage.dns.changes).toEqual([`${host}: 60 A 192.0.2.1`]);
    expect(stage.probed.at(-2)).toBe(`${host} at 192.0.2.1`);
  });

  test("believes the agents of clusters that it may not ask", async () => {
    const stage = await DomainStage.open();
    await stage.domain();
    await stage.gateway({ a: ["10.0.0.1"], b: ["10.0.0.2"] });
    await stage.turns(60_000);
    expect(stage.dns.records(host)).toEqual(["60 A 10.0.0.1"]);
    await stage.agent("a", "away");
    await stage.turns(45_000);
    expect(stage.dns.records(host)).toEqual(["60 A 10.0.0.2"]);
    expect(stage.probed).toEqual([]);
  });

  test("leads nowhere else while none answers, and says so", async () => {
    const stage = await DomainStage.open();
    await stage.domain();
    await stage.gateway(two);
    await stage.turn();
    for (const address of ["192.0.2.1", "192.0.2.2"]) stage.silent.add(address);
    await stage.turns(120_000);
    expect(stage.dns.records(host)).toEqual(toA);
    expect(await stage.ready()).toMatch(
      /^False NoHealthyCluster: shop.example.com answers in no cluster; its records still lead to a./,
    );
  });

  test("says of a cluster that cannot be asked what is in the way, and not that it does not answer", async () => {
    const stage = await DomainStage.open();
    await stage.domain({ clusters: ["a"] });
    const message = "No GatewayClass is accepted in cluster a.";
    const checks = [{ type: "Class" as const, status: "False" as const, reason: "ClassMissing", message }];
    await stage.gateway({ a: { addresses: [], checks } });
    await stage.turn();
    expect(await stage.ready()).toBe(
      `False NoAddress: ${host} has no address in any cluster yet. a cannot be asked: ${message}`,
    );
    await stage.gateway({ a: ["192.0.2.1"] });
    await stage.turns(60_000);
    await stage.gateway({ a: { addresses: ["192.0.2.1"], checks } });
    await stage.turns(60_000);
    expect(await stage.ready()).toBe(
      `False NoHealthyCluster: ${host} can be asked in no cluster; its records still lead to a. a cannot be asked: ${message}`,
    );
    await stage.domain();
    await stage.gateway({ ...two, a: { addresses: ["192.0.2.1"], checks } });
    await stage.turns(10_000);
    expect(await stage.ready()).toBe(
      `False NotReachable: ${host} leads to a, until it is lost for 30s. a cannot be asked: ${message}`,
    );
    await stage.turns(60_000);
    expect(await stage.events()).toEqual([
      `FailedOver: ${host} leads to b now, and no longer to a. a cannot be asked: ${message}`,
    ]);
  });

  test("does not switch for an hour that the server was away, and switches when it has looked for as long", async () => {
    const stage = await DomainStage.open();
    await stage.domain();
    await stage.gateway(two);
    await stage.turns(60_000);
    stage.silent.add("192.0.2.1");
    await stage.turn(7_500);
    stage.restart();
    await stage.turn(3_600_000);
    await stage.turn(7_500);
    expect(stage.dns.records(host)).toEqual(toA);
    await stage.turns(45_000);
    expect(stage.dns.records(host)).toEqual(toB);
  });

  test("goes on counting after a restart in between", async () => {
    const stage = await DomainStage.open();
    await stage.domain();
    await stage.gateway(two);
    await stage.turns(60_000);
    stage.silent.add("192.0.2.1");
    await stage.turns(22_500);
    stage.restart();
    await stage.turns(15_000);
    expect(stage.dns.records(host)).toEqual(toB);
  });

  test("leads to all of them, without the one that is lost", async () => {
    const stage = await DomainStage.open();
    await stage.domain({ policy: "all", ttl: "10s" });
    await stage.gateway(two);
    await stage.turn();
    expect(stage.dns.records(host)).toEqual(["10 A 192.0.2.1", "10 A 192.0.2.2"]);
    stage.silent.add("192.0.2.1");
    await stage.turns(45_000);
    expect(stage.dns.records(host)).toEqual(["10 A 192.0.2.2"]);
    expect(await stage.ready()).toBe("True FailedOver: It leads to b, in place of a.");
  });

  test("leads to each by its weight where the provider can", async () => {
    const stage = await DomainStage.open();
    await stage.domain({
      provider: "route53",
      credential: "aws",
      policy: "weighted",
      weights: { a: 3 },
    });
    const { objects } = stage.store;
    await stage.gateway(two);
    await stage.turn();
    expect(await stage.ready()).toBe('False RecordPending: There is no Credential "aws"; create it.');
    const data = { accessKeyId: "AKIA", secretAccessKey: "s3cret" };
    await objects.create(Credential, {
      metadata: { name: "aws", labels: {}, annotations: {} },
      spec: { type: "aws", data },
    });
    await stage.turn(2_000);
    expect(stage.dns.records(host)).toEqual(["60 A 192.0.2.1 (a, weight 3)", "60 A 192.0.2.2 (b, weight 1)"]);
    expect(stage.dns.opened.at(-1)?.credential).toEqual(data);
  });

  test("leaves a cluster that is being deleted, and one that its Gateway leaves, as soon as the other answers", async () => {
    const stage = await DomainStage.open();
    await stage.domain();
    await stage.gateway(two);
    await stage.turn();
    await stage.gateway({ a: { reason: "Leaving", addresses: ["192.0.2.1"] }, b: ["192.0.2.2"] });
    await stage.turn(1_000);
    expect(stage.dns.records(host)).toEqual(toB);
    await stage.gateway(two);
    await stage.turn(1_000);
    await stage.store.objects.writeFinalizers(Cluster, "b", () => ["example.com/hold"]);
    await stage.store.objects.delete(Cluster, "b", { cascade: true });
    await stage.turn(1_000);
    expect(stage.dns.records(host)).toEqual(toA);
  });
});

describe("Records", () => {
  test("follow the addresses of their cluster", async () => {
    const stage = await DomainStage.open();
    await stage.domain();
    await stage.gateway(two);
    await stage.turn();
    await stage.gateway({ ...two, a: ["192.0.2.7", "2001:db8::7"] });
    await stage.turn(1_000);
    expect(stage.dns.records(host)).toEqual(["60 A 192.0.2.7", "60 AAAA 2001:db8::7"]);
    await stage.gateway({ ...two, a: ["lb.example.net"] });
    await stage.turn(1_000);
    expect(stage.dns.records(host)).toEqual(["60 CNAME lb.example.net"]);
  });

  test("of somebody else are never overwritten; they are named, and taken over when they have gone", async () => {
    const stage = await DomainStage.open();
    stage.dns.set(host, "198.51.100.9");
    await stage.domain();
    await stage.gateway(two);
    await stage.turns(30_000);
    expect(stage.dns.records(host)).toEqual(["60 A 198.51.100.9"]);
    expect(await stage.ready()).toBe(
      "False RecordForeign: shop.example.com has records of somebody else, which are left alone: 60 A 198.51.100.9.",
    );
    stage.dns.set(host, undefined);
    await stage.turns(60_000);
    expect(stage.dns.records(host)).toEqual(toA);
    stage.dns.set(host, "198.51.100.9");
    await stage.store.objects.delete(DomainName, "example-com");
    await stage.turn();
    expect(await stage.ready()).toBe("");
    expect(stage.dns.records(host)).toEqual(["60 A 198.51.100.9"]);
  });

  test("are written when the name server is back, and until then it is said why not", async () => {
    const stage = await DomainStage.open();
    stage.dns.isDown = true;
    await stage.domain();
    await stage.gateway(two);
    await stage.turn();
    expect(await stage.ready()).toBe("False RecordPending: The name server does not answer.");
    await stage.turns(300_000);
    // With growing delays, and not at every look.
    expect(stage.dns.asked).toBeLessThan(20);
    stage.dns.isDown = false;
    await stage.turns(30_000);
    expect(stage.dns.records(host)).toEqual(toA);
    expect(await stage.ready()).toBe("True Reachable: It leads to a.");
  });

  test("that somebody took away are written again", async () => {
    const stage = await DomainStage.open();
    await stage.domain();
    await stage.gateway(two);
    await stage.turn();
    stage.dns.set(host, undefined);
    await stage.turns(310_000);
    expect(stage.dns.records(host)).toEqual(toA);
  });

  test("go with their Gateway, with their host, and with the DomainName", async () => {
    const stage = await DomainStage.open();
    await stage.domain();
    await stage.gateway(two, { hosts: ["one.example.com", "*.wild.example.com"] });
    await stage.gateway(two, { name: "other" });
    await stage.turn();
    expect(stage.dns.size).toBe(3);
    await stage.gateway(two, { hosts: ["one.example.com"] });
    await stage.turn();
    expect(stage.dns.records("*.wild.example.com")).toEqual([]);
    // As long as its routes are there it is only marked.
    await stage.store.objects.writeFinalizers(Gateway, "shop", () => ["bowline.dev/remove-routes"]);
    await stage.store.objects.delete(Gateway, "shop");
    await stage.turn();
    expect(stage.dns.records("one.example.com")).toEqual([]);
    await stage.store.objects.delete(DomainName, "example-com");
    await stage.turn();
    expect(stage.dns.size).toBe(0);
    expect(await stage.store.objects.get(DomainName, "example-com")).toBeUndefined();
  });

  test("that cannot be removed keep the DomainName, unless they are to stay", async () => {
    const stage = await DomainStage.open();
    await stage.domain();
    await stage.gateway(two);
    await stage.turn();
    stage.dns.isDown = true;
    await stage.store.objects.delete(DomainName, "example-com");
    await stage.turns(60_000);
    expect(await stage.ready()).toMatch(/^False Deleting: .*The name server does not answer\..*orphan/);
    await stage.domain({ deletionPolicy: "orphan" });
    await stage.turn();
    expect(await stage.store.objects.get(DomainName, "example-com")).toBeUndefined();
    expect(stage.dns.records(host)).toEqual(toA);
  });

  test("move when the domain gets another zone, and from one DomainName to another with a longer domain", async () => {
    const stage = await DomainStage.open();
    await stage.domain({ domain: "shop.example.com", zone: "example.com" });
    await stage.gateway(two);
    await stage.turn();
    await stage.domain({ domain: "shop.example.com", zone: "shop.example.com" });
    await stage.turns(1_000);
    expect(stage.dns.records(host)).toEqual([]);
    expect(stage.dns.records(host, "shop.example.com")).toEqual(toA);
    await stage.domain({ domain: "example.com" });
    await stage.turns(1_000);
    expect(stage.dns.records(host, "shop.example.com")).toEqual([]);
    expect(stage.dns.records(host)).toEqual(toA);
    await stage.domain({ domain: "shop.example.com", zone: "example.com" }, "narrow");
    await stage.turn(0, { name: "narrow" });
    expect(await stage.ready(host, "narrow")).toMatch(/^False RecordForeign/);
    await stage.turn();
    await stage.turn(1_000, { name: "narrow" });
    expect(stage.dns.ownerOf(host)).toBe("here/narrow");
  });
});
