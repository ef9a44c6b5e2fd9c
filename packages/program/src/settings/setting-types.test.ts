import { describe, expect, test } from "vitest";

import * as types from "./setting-types.ts";

const listed = types.listText(["https://a", "https://b"]);

describe("a setting", () => {
  test.each<[string, { parse(text: string): unknown }, string, unknown]>([
    ["is a text", types.text, "one line", "one line"],
    ["is an address", types.address, "[::]:7443", { host: "::", port: 7443 }],
    ["is an address of the web", types.webUrl, "https://a.example.com/", "https://a.example.com"],
    ["is an address as it is", types.exactUrl(["https:"], "https://id"), "https://id/", "https://id/"],
    [
      "is several addresses",
      types.urlList(["https:"], "https://a"),
      "https://a, https://b",
      ["https://a", "https://b"],
    ],
    ["is a list of addresses", types.urlList(["https:"], "https://a"), listed, ["https://a", "https://b"]],
    ["is of a form", types.matching(/^v\d$/u, "VERSION", "v1"), "v2", "v2"],
    ["is the name of a namespace", types.namespaceName, "shop-1", "shop-1"],
    ["is a choice", types.choice("a", "b"), "b", "b"],
    ["is on", types.onOff, "on", true],
    ["is off", types.onOff, "off", false],
    ["is a whole number", types.integer(1, 9), "9", 9],
    ["is a duration", types.duration("0s", "2h"), "1h30m", 5_400_000],
    [
      "is a duration in seconds, as it was before",
      types.duration("0s", "2h", { bareSeconds: true }),
      "20",
      20_000,
    ],
    ["is a size", types.size("1KiB", "1MiB"), "64Ki", 65_536],
    ["is a list", types.list, "a, b", ["a", "b"]],
    ["is pairs", types.pairs("A=B", "pairs", /^[a-z]+=\/.*$/u), "a=/x=y, b=/z", { a: "/x=y", b: "/z" }],
    ["is a mapping", types.mapping("x", "y"), "a=b=x,c=y", { "a=b": "x", c: "y" }],
  ])("%s", (_what, type, text, value) => {
    expect(type.parse(text)).toEqual(value);
  });

  test.each<[string, { parse(text: string): unknown }, string]>([
    ["a text of two lines", types.text, "a\nb"],
    ["a path that is empty", types.path, ""],
    ["an address without a port", types.address, "localhost"],
    ["an address of the web with a user", types.webUrl, "https://u@a"],
    ["another scheme", types.exactUrl(["https:"], "https://id"), "http://id"],
    ["one wrong address among others", types.urlList(["https:"], "https://a"), "https://a,http://b"],
    ["another form", types.matching(/^v\d$/u, "VERSION", "v1"), "1"],
    ["a namespace with a slash", types.namespaceName, "a/b"],
    ["no choice", types.choice("a", "b"), "c"],
    ["neither on nor off", types.onOff, "true"],
    ["a number beyond", types.integer(1, 9), "10"],
    ["a duration beyond", types.duration("1s", "1h"), "2h"],
    ["bare seconds where they never were", types.duration("0s", "1h"), "20"],
    ["bare seconds beyond", types.duration("0s", "1h", { bareSeconds: true }), "3601"],
    ["a size beyond", types.size("1KiB", "1MiB"), "1TiB"],
    ["an empty item", types.list, "a,,b"],
    ["a pair of another form", types.pairs("A=B", "pairs", /^[a-z]+=\/.*$/u), "a=x"],
    ["a pair that comes twice", types.pairs("A=B", "pairs", /^[a-z]+=\/.*$/u), "a=/x,a=/y"],
    ["a mapping to nothing", types.mapping("x"), "a"],
  ])("is not %s", (_what, type, text) => {
    expect(type.parse(text)).toBeUndefined();
  });

  test("is shown with its unit, where bare seconds are taken", () => {
    const seconds = types.duration("0s", "2h", { bareSeconds: true });
    expect([seconds.show?.("20"), seconds.show?.("1m30s")]).toEqual(["20s", "1m30s"]);
  });

  test("says what is right", () => {
    expect(types.choice("only").expects).toBe("only");
    expect(types.choice("a", "b").expects).toBe("one of a, b");
    expect(types.duration("0s", "1h").expects).toBe("a duration such as 30s, 1h30m or 7d, from 0s to 1h");
  });
});
