import { isIPv4 } from "node:net";

import { expect, test } from "vitest";

import { loadConfig } from "../config/server-config.ts";
import { replicaUrl } from "./server-urls.ts";

function urlFor(bound: { host: string; port: number }, flags: Readonly<Record<string, string>> = {}): string {
  return replicaUrl(loadConfig({ flags: { "--data": "/data", ...flags }, environment: {} }), bound);
}

test("other replicas are told where this one listens", () => {
  expect(urlFor({ host: "10.1.2.3", port: 7443 })).toBe("https://10.1.2.3:7443");
  expect(urlFor({ host: "fd00::1", port: 7443 })).toBe("https://[fd00::1]:7443");
});

test("or an address of the machine, where it listens on all of them", () => {
  const { hostname, port } = new URL(urlFor({ host: "0.0.0.0", port: 7443 }));
  expect(port).toBe("7443");
  expect(hostname).not.toBe("0.0.0.0");
  expect(isIPv4(hostname) || hostname.startsWith("[")).toBe(true);
});

test("or what was configured", () => {
  const flags = { "--replica-url": "https://replica-0.bowline.internal:7443" };
  expect(urlFor({ host: "0.0.0.0", port: 7443 }, flags)).toBe("https://replica-0.bowline.internal:7443");
});
