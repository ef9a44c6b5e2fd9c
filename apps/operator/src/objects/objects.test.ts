import { createHash, randomBytes } from "node:crypto";
import { gunzipSync } from "node:zlib";

import { describe, expect, test } from "vitest";

import type { MetricsAgent } from "./kinds.ts";
import { baseName, objectNames } from "./ownership.ts";
import { configSecrets, fileSecrets, type Secret } from "./secrets.ts";
import { statefulSet } from "./stateful-set.ts";

function agentWith(spec: MetricsAgent["spec"] = {}): MetricsAgent {
  const metadata = { namespace: "default", name: "main", uid: "u" };
  return { apiVersion: "monitoring.bowline.dev/v1alpha1", kind: "MetricsAgent", metadata, spec };
}

const sizeOf = ({ data }: Secret): number =>
  Object.values(data).reduce((sum, value) => sum + Buffer.from(value, "base64").length, 0);

/** Text that does not get much smaller. */
const noise = (bytes: number): string => randomBytes(bytes).toString("base64").slice(0, bytes);

/** The configuration that a pod makes of the Secrets. */
function assembled(secrets: readonly Secret[]): string {
  const files = new Map(
    secrets
      .flatMap(({ data }) => Object.entries(data))
      .map(([key, value]) => [key, Buffer.from(value, "base64")]),
  );
  const [sum, count, encoding] = (files.get("manifest")?.toString() ?? "").trim().split(" ");
  const parts = Array.from(
    { length: Number(count) },
    (_, part) => files.get(`part-${part}`) ?? Buffer.alloc(0),
  );
  const joined = Buffer.concat(parts);
  expect(createHash("sha256").update(joined).digest("hex")).toBe(sum);
  return (encoding === "gzip" ? gunzipSync(joined) : joined).toString();
}

describe("the Secrets of a configuration", () => {
  test.each([
    ["nothing", "", 1, "plain"],
    ["a small one", "global: {}\n", 1, "plain"],
    ["a large one, which gets small", "job_name: web\n".repeat(100_000), 1, "gzip"],
    ["one larger than a Secret", noise(2_000_000), 2, "gzip"],
  ])("%s", (_what, config, count, encoding) => {
    const secrets = configSecrets(agentWith(), config);
    expect(secrets.map(({ metadata }) => metadata.name)).toEqual(
      Array.from({ length: count }, (_, part) => `metrics-main-config-${part}`),
    );
    for (const secret of secrets) expect(sizeOf(secret)).toBeLessThan(1024 * 1024);
    expect(assembled(secrets)).toBe(config);
    expect(Buffer.from(secrets[0]?.data["manifest"] ?? "", "base64").toString()).toContain(` ${encoding}\n`);
    expect(configSecrets(agentWith(), config)).toEqual(secrets);
  });

  test("files are spread over several as well, in one order", () => {
    const files = Array.from(
      { length: 30 },
      (_, index) => [`0_a_b_${index}`, Buffer.alloc(100_000)] as const,
    );
    const secrets = fileSecrets(agentWith(), new Map(files));
    expect(secrets).toHaveLength(4);
    for (const secret of secrets) expect(sizeOf(secret)).toBeLessThan(1024 * 1024);
    expect(fileSecrets(agentWith(), new Map(files.toReversed()))).toEqual(secrets);
    expect(secrets.flatMap(({ data }) => Object.keys(data))).toHaveLength(30);
  });
});

describe("names", () => {
  const called = (name: string, kind = "MetricsAgent") => ({ kind, metadata: { name } });

  test("fit where Kubernetes puts them, and stay different", () => {
    const long = "a".repeat(250);
    for (const name of ["a", long, `${long}b`, "with.dots", "a-shard-1", "web.", "0"]) {
      for (const agent of [called(name), called(name, "GrafanaAgent")]) {
        expect(baseName(agent)).toMatch(/^[a-z]([-a-z0-9]*[a-z0-9])?$/u);
        expect(objectNames.statefulSet(agent, 999).length).toBeLessThanOrEqual(52);
      }
      expect(baseName(called(name))).not.toBe(baseName(called(name, "GrafanaAgent")));
    }
    expect(baseName(called(long))).not.toBe(baseName(called(`${long}b`)));
    expect(baseName(called("with.dots"))).not.toBe(baseName(called("with-dots")));
  });

  test("of a shard cannot be those of another agent", () => {
    expect(objectNames.statefulSet(called("web"), 1)).not.toBe(
      objectNames.statefulSet(called("web-shard-1"), 0),
    );
  });
});

describe("a StatefulSet", () => {
  const argsOf = (version?: string): string =>
    JSON.stringify(statefulSet(agentWith(version === undefined ? {} : { version }), 0, "prometheus"));

  test.each([
    ["v2.42.0", "--enable-feature=agent"],
    ["3.0.0", '"--agent"'],
    [undefined, '"--agent"'],
  ])("of version %s starts as an agent with %s", (version, flag) => {
    expect(argsOf(version)).toContain(flag);
  });

  test("has what the agent says about its pods", () => {
    const claim = { spec: { resources: { requests: { storage: "1Gi" } } } };
    const set = statefulSet(
      agentWith({
        image: "mine:1",
        serviceAccountName: "collector",
        nodeSelector: { disk: "fast" },
        podMetadata: { labels: { team: "a", "monitoring.bowline.dev/shard": "9" }, annotations: { a: "b" } },
        storage: { volumeClaimTemplate: claim },
        securityContext: { runAsUser: 1 },
      }),
      2,
      "prometheus",
    );
    expect(set.spec).toMatchObject({
      selector: { matchLabels: { "monitoring.bowline.dev/shard": "2" } },
      volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claim.spec }],
      template: {
        metadata: { labels: { team: "a", "monitoring.bowline.dev/shard": "2" }, annotations: { a: "b" } },
        spec: {
          serviceAccountName: "collector",
          nodeSelector: { disk: "fast" },
          securityContext: { runAsUser: 1 },
          initContainers: [{ image: "mine:1" }],
          containers: [{ image: "mine:1" }, { image: "mine:1" }],
        },
      },
    });
  });
});
