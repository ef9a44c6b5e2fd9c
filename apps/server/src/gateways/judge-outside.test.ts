import type { GatewaySpec } from "@bowline/api";
import { expect, test } from "vitest";

import { AllowedAddresses } from "./allowed-address.ts";
import { judgeEntryAnswers, judgeOutside, type OutsideTools } from "./judge-outside.ts";
import type { ProbeTarget } from "./probe-host.ts";

const spec: GatewaySpec = {
  instance: "web",
  hosts: ["shop.example.com"],
  rules: [{ path: "/", service: "web", port: 80 }],
  tls: { mode: "terminate" },
  visibility: "public",
  probe: true,
};
const { signal } = new AbortController();

/** Addresses that answer, with their status; others refuse. */
function tools(answering: Readonly<Record<string, number>>, more: Partial<OutsideTools> = {}): OutsideTools {
  return {
    isOn: true,
    resolve: () => Promise.reject(new Error("nobody can be asked")),
    probe: ({ address }) => {
      const status = answering[address];
      if (status === undefined) return Promise.reject(new Error("connection refused"));
      return Promise.resolve({ status, distrust: undefined });
    },
    allowed: new AllowedAddresses(["192.0.2.0/24", "2001:db8::/32"]),
    ...more,
  };
}

test("a host answers as long as one address of its entry does, whatever the others do", async () => {
  const addresses = ["2001:db8::1", "192.0.2.1", "192.0.2.2"];
  expect(
    await judgeEntryAnswers(tools({ "192.0.2.1": 200, "192.0.2.2": 503 }), { spec, addresses, signal }),
  ).toEqual({
    status: "True",
    reason: "Reachable",
    message: "It answers from outside, at one of 2001:db8::1, 192.0.2.1, 192.0.2.2.",
  });
  expect(await judgeEntryAnswers(tools({}), { spec, addresses, signal })).toEqual({
    status: "False",
    reason: "NotReachable",
    message: "https://shop.example.com/ at 2001:db8::1 does not answer: connection refused",
  });
});

test("whoever answers is not held up by an address that never does", async () => {
  const { probe } = tools({ "192.0.2.2": 200 });
  const answer = (target: ProbeTarget): ReturnType<typeof probe> =>
    target.address === "192.0.2.1" ? new Promise(() => {}) : probe(target, signal);
  const addresses = ["192.0.2.1", "192.0.2.2"];
  const found = await judgeEntryAnswers(tools({}, { probe: answer }), { spec, addresses, signal });
  expect(found.status).toBe("True");
});

test("an entry of many addresses is not asked at all of them", async () => {
  const asked: string[] = [];
  const addresses = Array.from({ length: 16 }, (_, index) => `192.0.2.${index + 1}`);
  const probe: OutsideTools["probe"] = ({ address }) => {
    asked.push(address);
    return Promise.reject(new Error("connection refused"));
  };
  await judgeEntryAnswers(tools({}, { probe }), { spec, addresses, signal });
  expect(asked).toEqual(addresses.slice(0, 4));
});

test("nobody knows whether a host answers while the name of its load balancer cannot be looked up", async () => {
  const found = await judgeEntryAnswers(tools({}), { spec, addresses: ["lb.example.net"], signal });
  expect(found).toEqual({
    status: "Unknown",
    reason: "RecordPending",
    message: "lb.example.net could not be looked up, or has no address.",
  });
});

test("the same is told of the same addresses, in whatever order a name server gives them", async () => {
  const question = { spec, signal, addresses: ["lb.example.net"], elsewhere: () => Promise.resolve([]) };
  const told = async (...found: readonly string[]) =>
    judgeOutside(
      tools(
        { "192.0.2.1": 200 },
        { resolve: (name) => Promise.resolve(name === "lb.example.net" ? found : ["192.0.2.1"]) },
      ),
      question,
    );
  expect(await told("192.0.2.2", "192.0.2.1")).toEqual(await told("192.0.2.1", "192.0.2.2"));
  const foreign = async (...found: readonly string[]) =>
    judgeOutside(tools({}, { resolve: () => Promise.resolve(found) }), {
      ...question,
      addresses: ["192.0.2.9"],
    });
  expect(await foreign("192.0.2.2", "192.0.2.1")).toEqual(await foreign("192.0.2.1", "192.0.2.2"));
});
