import { expect, test } from "vitest";

import { proxyFor } from "./proxy-for.ts";

const proxies = { HTTPS_PROXY: "http://proxy:3128", http_proxy: "plain:80" };

test.each([
  ["https://bowline.example.com", proxies, "http://proxy:3128"],
  ["http://bowline.example.com", proxies, "http://plain:80"],
  ["https://x", { ALL_PROXY: "http://all:1" }, "http://all:1"],
  ["https://x", { https_proxy: "http://small:1", HTTPS_PROXY: "http://large:1" }, "http://small:1"],
  ["https://x", {}, undefined],
  ["https://x", { HTTPS_PROXY: "" }, undefined],
  ["https://localhost:8443", proxies, undefined],
  ["https://127.0.0.1:8443", proxies, undefined],
  ["https://[::1]:8443", proxies, undefined],
  ["https://a.example.com", { ...proxies, NO_PROXY: "other, .example.com" }, undefined],
  ["https://example.com", { ...proxies, NO_PROXY: "example.com:443" }, undefined],
  ["https://example.com:8443", { ...proxies, NO_PROXY: "example.com:443" }, "http://proxy:3128"],
  ["https://notexample.com", { ...proxies, NO_PROXY: "example.com" }, "http://proxy:3128"],
  ["https://x", { ...proxies, no_proxy: "*" }, undefined],
])("%s with %j goes through %s", (server, environment, proxy) => {
  expect(proxyFor(server, environment)).toBe(proxy);
});
