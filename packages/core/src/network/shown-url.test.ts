import { expect, test } from "vitest";

import { hostAndPort, withoutCredentials } from "./shown-url.ts";

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
