import { describe, expect, test } from "vitest";

import { DomainStage } from "./testing/domain-stage.ts";

const host = "shop.example.com";
const two = { a: ["192.0.2.1"], b: ["192.0.2.2"] };
const toA = ["60 A 192.0.2.1"];
const toB = ["60 A 192.0.2.2"];

describe("Several Gateways with one host", () => {
  test("lead to a cluster as long as all of them answer there", async () => {
    const stage = await DomainStage.open();
    await stage.domain();
    await stage.gateway(two);
    const api = { name: "api", hosts: [host], rules: [{ path: "/api", service: "api", port: 80 }] };
    await stage.gateway({ a: ["192.0.2.9"], b: ["192.0.2.2"] }, api);
    await stage.turns(60_000);
    expect(stage.dns.records(host)).toEqual(["60 A 192.0.2.1", "60 A 192.0.2.9"]);
    stage.silent.add("192.0.2.9");
    await stage.turns(45_000);
    expect(stage.dns.records(host)).toEqual(toB);
  });

  test("lead to the entry of the oldest in a cluster: whoever adds a path in another class gets no requests", async () => {
    const stage = await DomainStage.open();
    await stage.domain();
    const ours = { class: "ours", addresses: ["192.0.2.1"] };
    await stage.gateway({ a: ours, b: ["192.0.2.2"] }, { class: "ours" });
    const theirs = { class: "theirs", addresses: ["192.0.2.66"] };
    await stage.gateway({ a: theirs }, { name: "a-first", hosts: [host], class: "theirs" });
    const admin = { hosts: [host], rules: [{ path: "/admin", service: "api", port: 80 }] };
    const internal = { class: "ours", addresses: ["192.0.2.77"] };
    const spec = { ...admin, class: "ours", visibility: "internal" as const };
    await stage.gateway({ a: internal }, { name: "b-first", ...spec });
    await stage.turns(60_000);
    expect(stage.dns.records(host)).toEqual(toA);
    stage.silent.add("192.0.2.66");
    await stage.turns(60_000);
    expect(stage.dns.records(host)).toEqual(toA);
  });
});
