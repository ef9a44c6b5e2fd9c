import { describe, expect, test } from "vitest";

import { loadOperatorConfig } from "./operator-config.ts";
import { operatorSettings } from "./settings.ts";

const home = { HOME: "/home/operator" };
const load = (flags: Record<string, string>, environment: Record<string, string> = home) =>
  loadOperatorConfig({ flags, environment });

describe("the settings of an operator", () => {
  test("outside of a pod are for the current context of the usual kubeconfig", () => {
    expect(load({})).toMatchObject({
      kubeconfig: { paths: ["/home/operator/.kube/config"], context: undefined },
      collectorImage: "quay.io/prometheus/prometheus",
      compat: undefined,
      leaderElection: true,
      leaseNamespace: undefined,
      concurrency: 4,
      expectedTargets: true,
      healthListen: { host: "127.0.0.1", port: 8082 },
      log: { level: "info", format: undefined },
    });
  });

  test("in a pod are for its ServiceAccount, and its probes reach the health page", () => {
    const environment = { ...home, KUBERNETES_SERVICE_HOST: "10.0.0.1" };
    expect(load({}, environment)).toMatchObject({
      kubeconfig: undefined,
      healthListen: { host: "0.0.0.0", port: 8082 },
    });
    expect(load({ "--kubeconfig": "/k" }, environment)).toMatchObject({ kubeconfig: { paths: ["/k"] } });
  });

  test("are stronger as flags than as variables", () => {
    const environment = {
      ...home,
      BOWLINE_CONCURRENCY: "2",
      BOWLINE_LEADER_ELECTION: "off",
      BOWLINE_COMPAT: "grafana-agent",
    };
    expect(load({ "--namespaces": "b, a,b" }).namespaces).toEqual(["b", "a"]);
    expect(load({ "--concurrency": "3" }, environment)).toMatchObject({
      concurrency: 3,
      compat: "grafana-agent",
      leaderElection: false,
    });
  });

  test("have the names that they have always had", () => {
    expect(operatorSettings.named.map(({ flag, variable }) => `${flag ?? ""} ${variable}`)).toEqual([
      "--kubeconfig KUBECONFIG",
      "--kube-context BOWLINE_KUBE_CONTEXT",
      "--collector-image BOWLINE_COLLECTOR_IMAGE",
      "--compat BOWLINE_COMPAT",
      "--namespaces BOWLINE_NAMESPACES",
      "--leader-election BOWLINE_LEADER_ELECTION",
      "--lease-namespace BOWLINE_LEASE_NAMESPACE",
      "--concurrency BOWLINE_CONCURRENCY",
      "--expected-targets BOWLINE_EXPECTED_TARGETS",
      "--health-listen BOWLINE_HEALTH_LISTEN",
      "--log-level BOWLINE_LOG_LEVEL",
      "--log-format BOWLINE_LOG_FORMAT",
    ]);
  });

  test.each([
    ["--health-listen", "8082", "an address with a port"],
    ["--concurrency", "0", "a whole number from 1 to 100"],
    ["--compat", "alloy", "grafana-agent"],
    ["--leader-election", "maybe", "on or off"],
    ["--expected-targets", "false", "on or off"],
    ["--collector-image", "prom/prometheus:v3", "the name of an image without a tag"],
    ["--namespaces", "shop,", "up to 50 names of namespaces"],
    ["--namespaces", "Shop", "up to 50 names of namespaces"],
    ["--log-level", "loud", "one of trace, debug"],
  ])("say what is wrong with %s %s", (flag, value, expected) => {
    expect(() => load({ [flag]: value })).toThrow(
      expect.objectContaining({
        code: "InvalidArgument",
        message: expect.stringContaining(`${flag} must be ${expected}`),
      }),
    );
  });
});
