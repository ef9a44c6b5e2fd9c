import type { Gateway } from "@bowline/api";
import { describe, expect, test } from "vitest";

import { certificateEnd, checkHealth, gatewayHealth, hostAddress, readyCondition } from "./gateway-facts.ts";

type Rules = Pick<Gateway["spec"], "rules" | "tls">;

const rule = (path: string): Rules["rules"][number] => ({ path, service: "web", port: 80 });

describe("where a host is opened", () => {
  test.each<[Rules["tls"]["mode"], string[], string, string | undefined]>([
    ["terminate", ["/"], "shop.example.com", "https://shop.example.com/"],
    ["passthrough", ["/"], "shop.example.com", "https://shop.example.com/"],
    ["none", ["/"], "shop.example.com", "http://shop.example.com/"],
    ["terminate", ["/api", "/"], "shop.example.com", "https://shop.example.com/"],
    ["terminate", ["/api", "/shop"], "shop.example.com", "https://shop.example.com/api"],
    ["terminate", ["/"], "*.example.com", undefined],
  ])("%s %j %s", (mode, paths, host, address) => {
    expect(hostAddress({ rules: paths.map(rule), tls: { mode } }, host)).toBe(address);
  });
});

describe("the end of a certificate", () => {
  const nowMs = Date.parse("2026-11-19T10:00:00Z");
  test.each([
    ["2026-12-19T10:00:00Z", { days: 30, isSoon: false, isOver: false }],
    ["2026-12-03T10:00:00Z", { days: 14, isSoon: false, isOver: false }],
    ["2026-12-03T09:59:59Z", { days: 13, isSoon: true, isOver: false }],
    ["2026-11-19T09:59:59Z", { days: -1, isSoon: true, isOver: true }],
  ])("%s", (notAfter, end) => {
    expect(certificateEnd(notAfter, nowMs)).toEqual(end);
  });

  test("that cannot be read is something to look at", () => {
    expect(certificateEnd("some day", nowMs)).toMatchObject({ isSoon: true });
  });
});

function gatewayWith(status: "True" | "False" | "Unknown" | undefined, reason = "Reachable"): Gateway {
  const at = "2026-11-19T10:00:00.000Z";
  const condition = {
    type: "Ready",
    reason,
    message: "It is so.",
    lastTransitionTime: at,
    observedGeneration: 1,
  };
  return {
    apiVersion: "bowline.dev/v1",
    kind: "Gateway",
    metadata: {
      name: "shop",
      id: "018f0000-0000-7000-8000-000000000001",
      resourceVersion: "1",
      generation: 1,
      createdAt: at,
      updatedAt: at,
      labels: {},
      annotations: {},
      finalizers: [],
    },
    spec: {
      instance: "shop",
      hosts: ["shop.example.com"],
      rules: [rule("/")],
      tls: { mode: "terminate" },
      visibility: "public",
      probe: true,
    },
    status: {
      conditions: status === undefined ? [] : [{ ...condition, status }],
      clusters: [],
      clusterCount: 0,
      readyCount: 0,
    },
  };
}

test("health is that of its condition; one that nobody has looked at is on its way, and so is one that goes", () => {
  expect(gatewayHealth(gatewayWith(undefined))).toBe("Progressing");
  expect(gatewayHealth(gatewayWith("True"))).toBe("Healthy");
  expect(gatewayHealth(gatewayWith("Unknown", "AgentDisconnected"))).toBe("Unknown");
  expect(gatewayHealth(gatewayWith("False", "HostTaken"))).toBe("Degraded");
  expect(gatewayHealth(gatewayWith("False", "RecordPending"))).toBe("Missing");
  const gone = gatewayWith("True");
  const metadata = { ...gone.metadata, deletedAt: "2026-11-19T10:00:00.000Z" };
  expect(gatewayHealth({ ...gone, metadata })).toBe("Progressing");
});

test("a check has the same words, and why is told only of what does not answer", () => {
  expect(checkHealth("False", "CertificatePending")).toBe("Missing");
  expect(checkHealth("False", "InstallingService")).toBe("Missing");
  expect(checkHealth("False", "toString")).toBe("Degraded");
  expect(readyCondition(gatewayWith("True"))).toEqual({ reason: "", message: "" });
  expect(readyCondition(gatewayWith("False", "HostTaken"))).toMatchObject({ reason: "HostTaken" });
});
