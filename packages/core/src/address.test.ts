import { expect, test } from "vitest";

import { hostAndPort, isLoopback, proxyFor, withoutCredentials } from "./address.ts";

test.each(["localhost", "LOCALHOST", "127.0.0.1", "127.3.2.1", "::1", "[::1]", "::ffff:127.0.0.1"])(
  "%s is this machine",
  (host) => expect(isLoopback(host)).toBe(true),
);

test.each(["", "0.0.0.0", "::", "128.0.0.1", "localhost.example.com", "127.0.0.1.example.com"])(
  "%j may be another one",
  (host) => expect(isLoopback(host)).toBe(false),
);

test("withoutCredentials shows no user and no password", () => {
  expect(withoutCredentials("http://user:pw@proxy:3128/")).toBe("http://proxy:3128");
  expect(withoutCredentials("https://host/base")).toBe("https://host/base");
});

test.each([
  ["https://host", "host:443"],
  ["http://host/x", "host:80"],
  ["https://[::1]:7443", "[::1]:7443"],
])("%s is at %s", (url, place) => {
  expect(hostAndPort(url)).toBe(place);
});

const server = new URL("https://bowline.example.com:7443");

test.each([
  [{}, undefined],
  [{ HTTPS_PROXY: "" }, undefined],
  [{ HTTPS_PROXY: "http://proxy:3128" }, "http://proxy:3128/"],
  [{ https_proxy: "proxy:3128", HTTPS_PROXY: "http://other" }, "http://proxy:3128/"],
  [{ ALL_PROXY: "http://proxy:3128" }, "http://proxy:3128/"],
  [{ HTTP_PROXY: "http://proxy:3128" }, undefined],
  [{ HTTPS_PROXY: "http://" }, undefined],
])("with %o the proxy is %s", (environment, proxy) => {
  expect(proxyFor(server, environment)?.href).toBe(proxy);
});

test.each([
  ["https://bowline.example.com", "*", true],
  ["https://bowline.example.com", "bowline.example.com", true],
  ["https://bowline.example.com", "example.com", true],
  ["https://bowline.example.com", ".example.com, other", true],
  ["https://bowline.example.com", "*.example.com", true],
  ["https://bowline.example.com", "other.com ample.com", false],
  ["https://bowline.example.com", "bowline.example.com:443", true],
  ["https://bowline.example.com:7443", "bowline.example.com:443", false],
  ["https://10.1.2.3", "10.0.0.0/8", true],
  ["https://10.1.2.3", "10.1.2.3", true],
  ["https://11.1.2.3", "10.0.0.0/8", false],
  ["https://11.1.2.3", "10.0.0.0/99", false],
  ["https://[fd00::1]:7443", "fd00::/8", true],
  ["https://[fd00::1]:7443", "fd00::1", true],
  ["https://[fd00::1]:7443", "[fd00::1]:7443", true],
  ["https://[fd00::1]", "10.0.0.0/8", false],
  ["https://bowline.example.com", "", false],
])("%s with NO_PROXY=%s goes directly: %s", (url, noProxy, isDirect) => {
  const environment = { HTTPS_PROXY: "http://proxy", NO_PROXY: noProxy };
  expect(proxyFor(new URL(url), environment) === undefined).toBe(isDirect);
});

test("a server without TLS has a variable of its own, and this machine needs no proxy", () => {
  const environment = { HTTPS_PROXY: "http://secure", HTTP_PROXY: "http://plain" };
  expect(proxyFor(new URL("http://bowline.example.com"), environment)?.href).toBe("http://plain/");
  for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
    expect(proxyFor(new URL(`https://${host}:7443`), environment)).toBeUndefined();
  }
});
