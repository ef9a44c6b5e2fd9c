import { describe, expect, test } from "vitest";

import { parseClusterTarget } from "./cluster-target.ts";

describe("an address below /clusters", () => {
  test.each([
    ["/clusters/prod", "prod", "/", []],
    ["/clusters/prod/", "prod", "/", []],
    ["/clusters/prod?x=1", "prod", "/?x=1", []],
    ["/clusters/prod/api/v1/pods?watch=1", "prod", "/api/v1/pods?watch=1", ["api", "v1", "pods"]],
    ["/clusters/a-1/api/v1/pods/", "a-1", "/api/v1/pods/", ["api", "v1", "pods"]],
    ["/clusters/prod/version?", "prod", "/version?", ["version"]],
    ["/clusters/prod/a?b=/../c&d=%2e%2e", "prod", "/a?b=/../c&d=%2e%2e", ["a"]],
    [
      "/clusters/prod/apis/x/v1/y/system%3Anode",
      "prod",
      "/apis/x/v1/y/system%3Anode",
      ["apis", "x", "v1", "y", "system:node"],
    ],
    [
      "/clusters/prod/api/v1/namespaces/a...b/pods",
      "prod",
      "/api/v1/namespaces/a...b/pods",
      ["api", "v1", "namespaces", "a...b", "pods"],
    ],
    [
      "/clusters/prod/api/v1/namespaces/shop/pods/web/proxy/a//b%2Fc",
      "prod",
      "/api/v1/namespaces/shop/pods/web/proxy/a//b%2Fc",
      ["api", "v1", "namespaces", "shop", "pods", "web", "proxy", "a", "", "b", "c"],
    ],
  ])("%s is sent as it was written", (url, cluster, path, segments) => {
    expect(parseClusterTarget(url)).toMatchObject({ cluster, path, segments });
  });

  test.each([
    "/clusters/",
    "/clusters//api",
    "/clusters/PROD/api",
    "/clusters/..",
    "/clusters/%70rod/api",
    "/clusters/prod%2Fapi",
    "/%63lusters/prod/api",
    "//clusters/prod/api",
    "/api/v1/clusters",
    "http://server/clusters/prod/api",
    `/clusters/${"a".repeat(64)}/api`,
    "",
  ])("%s names no cluster", (url) => {
    expect(() => parseClusterTarget(url)).toThrow(expect.objectContaining({ code: "NotFound" }));
  });
});

describe("a path that somebody could read in another way is refused", () => {
  const deep = "/api/v1/namespaces/shop/pods/web";
  test.each([
    "/../other/api",
    "/api/../../other/api",
    "/.",
    "/./api",
    "/api/v1/namespaces/shop/..",
    "/api/v1/namespaces/shop/../other/pods",
    "/api/v1/namespaces/shop/%2e%2e/other/pods",
    "/api/v1/namespaces/shop/%2E./other/pods",
    "/api/v1/namespaces/shop/.%2e/other/pods",
    "/api/v1/namespaces//pods",
    "//api/v1/pods",
    "/api//v1/pods",
    "/api/v1/pods//",
    "/api/v1/namespaces/shop%2f..%2fother/pods",
    "/api/v1/namespaces/shop%2Fpods",
    "/api/v1/namespaces/shop%5c..%5cother/pods",
    "/api/v1/namespaces/shop\\..\\other/pods",
    "/api/v1/namespaces/shop%252f..%252fother/pods",
    "/api/v1/namespaces/%252e%252e/pods",
    "/api/v1/namespaces/shop%00/pods",
    "/api/v1/namespaces/shop%0d%0aX:%20y/pods",
    "/api/v1/namespaces/shop%/pods",
    "/api/v1/namespaces/shop%zz/pods",
    "/api/v1/namespaces/%ff/pods",
    "/api/v1/namespaces/shop/pods#/../x",
    "/api/v1/namespaces/sh\u00f6p/pods",
    "/api/v1/namespaces/sh\top/pods",
    `${deep}/proxy/..`,
    `${deep}/proxy/../../../other/pods/web`,
    `${deep}/proxy/a/%2e%2e/b`,
    `${deep}/proxy/a%2f..%2fb`,
    `${deep}/proxy/a%5c..%5cb`,
    `${deep}/pro%78y/a//b`,
    `${deep}/proxy%2f..`,
    `${deep}/log//`,
    "/version/proxy//",
    "/api/v1/pods?a=1#b",
    "/api/v1/pods?a= b",
    "/api/v1/pods?a=\u00e9",
  ])("%j", (path) => {
    expect(() => parseClusterTarget(`/clusters/prod${path}`)).toThrow(
      expect.objectContaining({ code: "BadRequest" }),
    );
  });
});
