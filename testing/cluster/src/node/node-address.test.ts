import { expect, it } from "vitest";
import { chooseNodeAddresses, nodeAddresses } from "./node-address.ts";

const hosts = Array.from({ length: 256 }, (_, cluster) => nodeAddresses(cluster).host);

it("takes the one range that is left", () => {
  const used = new Set(hosts.filter((host) => host !== "10.213.77.1"));
  expect(chooseNodeAddresses(used)).toEqual({
    host: "10.213.77.1",
    node: "10.213.77.2",
    podRange: "10.214.77.0/24",
  });
});

it("says so when none is left", () => {
  expect(() => chooseNodeAddresses(new Set(hosts))).toThrow("All 256 address ranges");
});
