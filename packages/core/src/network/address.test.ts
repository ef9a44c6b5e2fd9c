import { expect, test } from "vitest";

import { hostAndPort, isLoopback, withoutCredentials } from "./address.ts";

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
