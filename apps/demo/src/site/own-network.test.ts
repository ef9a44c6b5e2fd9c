import { expect, test } from "vitest";

import { cableAddresses } from "./own-network.ts";

test("every port has a pair of its own, within 198.18.0.0/15", () => {
  expect(cableAddresses(7443)).toEqual({
    device: "bowline-7443",
    here: "198.18.58.38",
    there: "198.18.58.39",
  });
  expect(cableAddresses(1)).toMatchObject({ here: "198.18.0.2", there: "198.18.0.3" });
  expect(cableAddresses(65_535)).toMatchObject({ here: "198.19.255.254", there: "198.19.255.255" });
  // The kernel takes no longer names.
  expect(cableAddresses(65_535).device.length).toBeLessThan(16);
});
