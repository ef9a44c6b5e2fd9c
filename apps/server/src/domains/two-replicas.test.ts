import { expect, test } from "vitest";

import { DomainStage } from "./testing/domain-stage.ts";

const host = "shop.example.com";

test("a replica that wrote records before another one did looks at them again", async () => {
  const stage = await DomainStage.open();
  await stage.domain({ failover: { after: "10s", returnAfter: "10s", return: "automatic" } });
  await stage.gateway({ a: ["192.0.2.1"], b: ["192.0.2.2"] });
  const [first, second] = [stage.anotherServer(), stage.anotherServer()];
  const many = async (count: number): Promise<void> => {
    for (let turn = 0; turn < count; turn += 1) await stage.turn(2_500, { server: second });
  };
  await stage.turn(0, { server: first });
  expect(stage.dns.records(host)).toEqual(["60 A 192.0.2.1"]);
  await many(8);
  stage.silent.add("192.0.2.1");
  await many(8);
  expect(stage.dns.records(host)).toEqual(["60 A 192.0.2.2"]);
  // It decides to return, and comes no further.
  stage.dns.isDown = true;
  stage.silent.clear();
  await many(8);
  stage.dns.isDown = false;
  await stage.turn(0, { server: first });
  expect(stage.dns.records(host)).toEqual(["60 A 192.0.2.1"]);
  expect(await stage.ready()).toBe("True Reachable: It leads to a.");
});
