import { describe, expect, test } from "vitest";

import { domainFilters, serviceParameters } from "./service-parameters.ts";

describe("domainFilters", () => {
  test.each([
    [[], []],
    [
      ["b.example.com", "a.example.com"],
      ["a.example.com", "b.example.com"],
    ],
    [["*.example.com", "a.example.com", "deep.a.example.com"], ["example.com"]],
    [
      ["example.com", "notexample.com"],
      ["example.com", "notexample.com"],
    ],
  ])("%j become %j", (hosts, expected) => {
    expect(domainFilters(hosts)).toEqual(expected);
  });

  test("that are too long become those around them, and never a top-level domain", () => {
    const hosts = ["a.shop.example.com", "b.shop.example.com", "a.example.org"];
    expect(domainFilters(hosts, 40)).toEqual(["example.org", "shop.example.com"]);
    expect(domainFilters(hosts, 25)).toEqual(["example.com", "example.org"]);
    expect(domainFilters(hosts, 1)).toEqual(["example.com", "example.org"]);
  });
});

test("only parameters that a definition declares are given", () => {
  const declared = (...names: string[]) => ({
    source: { inline: { manifests: "" } },
    parameters: names.map((name) => ({ name, type: "string" as const, required: false })),
  });
  const known = {
    service: { cluster: "edge", type: "external-dns" },
    installation: "one",
    hosts: ["a.example.com"],
  } as const;
  expect(serviceParameters(declared("owner", "domains", "mine"), known)).toEqual({
    owner: "bowline-one-edge",
    domains: "a.example.com",
  });
  expect(serviceParameters(declared("class"), known)).toEqual({});
});
