import { describe, expect, test } from "vitest";

import { AllowedAddresses, isNetwork } from "./allowed-address.ts";

describe("AllowedAddresses", () => {
  test.each([
    "127.0.0.1",
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "169.254.169.254",
    "172.31.255.255",
    "168.63.129.16",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::a00:1",
    "2002:a00:1::1",
    "fe80::1",
    "fc00::1",
    "fd00:ec2::254",
    "ff02::1",
    "localhost",
    "",
    "127.1",
    "0x7f000001",
  ])("does not have %s", (address) => {
    expect(new AllowedAddresses([]).has(address)).toBe(false);
  });

  test.each(["1.1.1.1", "172.32.0.1", "2606:4700::1111"])("has %s, which is public", (address) => {
    expect(new AllowedAddresses([]).has(address)).toBe(true);
  });

  test("has what an admin adds, and nothing beside it", () => {
    const allowed = new AllowedAddresses(["10.0.0.0/8", "fd00:1::/32", "192.168.0.7"]);
    const has = (address: string): boolean => allowed.has(address);
    expect(["10.1.2.3", "fd00:1::5", "192.168.0.7"].every(has)).toBe(true);
    expect(["11.0.0.1", "fd00:2::5", "192.168.0.8", "127.0.0.1"].map(has)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

test.each([
  ["10.0.0.0/8", true],
  ["10.0.0.1", true],
  ["fd00::/64", true],
  ["10.0.0.0/33", false],
  ["10.0.0.0/", false],
  ["10.0.0.0/8/9", false],
  ["example.com", false],
])("%s is a network: %s", (text, expected) => {
  expect(isNetwork(text)).toBe(expected);
});
