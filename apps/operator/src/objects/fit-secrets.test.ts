import { createHash } from "node:crypto";

import { sampleCertificate as certificate } from "@bowline/core/testing";
import type { KubeObject } from "@bowline/kube";
import { render, type RenderOptions } from "@bowline/monitoring";
import { expect, test } from "vitest";

import { metricsAgent, metricsInstance, serviceMonitor } from "../testing/objects.ts";
import { selectedObject } from "../watch/cached-object.ts";
import { fitSecrets, type Fitted, type Rendered } from "./fit-secrets.ts";
import type { MetricsAgent } from "./kinds.ts";

/** Many monitors that together are more than the Secrets of an agent hold. */

/** Text that does not get much smaller, always the same. */
function noise(length: number, seed: string): string {
  return createHash("shake256", { outputLength: length }).update(seed).digest("base64").slice(0, length);
}

/** As the operator does it. A Secret `ca-500` has a certificate with 500 kB around it. */
function fit(monitors: readonly KubeObject[], spec: MetricsAgent["spec"] = {}): Fitted {
  const metadata = { namespace: "default", name: "main", uid: "u" };
  const agent = { apiVersion: "monitoring.bowline.dev/v1alpha1", kind: "MetricsAgent", metadata, spec };
  const root = selectedObject(metricsAgent("default/main", spec));
  const objects = [metricsInstance("default/team"), ...monitors].map(selectedObject);
  const resolve: RenderOptions["resolve"] = ({ name }) =>
    name.startsWith("ca-") ? certificate.padEnd(Number(name.slice(3)) * 1000, "\n") : name;
  const rendered = (refuse?: RenderOptions["refuse"]): Rendered => {
    const result = render({ root, objects }, { resolve, mode: "agent", refuse });
    const files = result.references.flatMap((reference) => {
      const { file, needed } = reference;
      const bytes = Buffer.from(resolve(reference) ?? "");
      return file === undefined || needed !== true ? [] : [[file, bytes] as const];
    });
    return { result, files: new Map(files) };
  };
  return fitSecrets(agent, rendered(), rendered);
}

const several = (count: number, make: (index: number) => KubeObject): KubeObject[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** How many monitors of each namespace have jobs. */
function kept({ result }: Fitted): Record<string, number> {
  const byNamespace = Map.groupBy(result.jobs, ({ source }) => source.namespace);
  return Object.fromEntries([...byNamespace].map(([name, jobs]) => [name, jobs.length]));
}

function withText(id: string, length: number): KubeObject {
  return serviceMonitor(id, { relabelings: [{ targetLabel: "a", replacement: noise(length, id) }] });
}

function withFile(id: string, kilobytes: number, key = id.replace("/", "-")): KubeObject {
  return serviceMonitor(id, { tlsConfig: { ca: { secret: { name: `ca-${kilobytes}`, key } } } });
}

test("a namespace with texts without end loses monitors, and no other does", () => {
  const monitors = [
    ...several(11, (index) => withText(`greedy/web-${index}`, 1_000_000)),
    ...several(50, (index) => serviceMonitor(`shop-${index % 5}/web-${index}`)),
    withText("blog/web", 900_000),
  ];
  const fitted = fit(monitors);
  const greedy = kept(fitted)["greedy"] ?? 0;
  expect(greedy).toBeGreaterThan(4);
  expect(greedy).toBeLessThan(10);
  const others = { blog: 1, "shop-0": 10, "shop-1": 10, "shop-2": 10, "shop-3": 10, "shop-4": 10 };
  expect(kept(fitted)).toEqual({ ...others, greedy });
  expect(fitted.secrets.config.length).toBeLessThanOrEqual(8);
  expect(fitted.result.rejected).toHaveLength(11 - greedy);
  expect(fitted.result.rejected[0]).toMatchObject({
    object: { namespace: "greedy" },
    problems: [
      {
        path: "spec",
        message:
          "The configuration does not fit into 8 Secrets, and no namespace takes more of them than greedy.",
      },
    ],
  });
  expect(fit(monitors.toReversed()).result.config).toBe(fitted.result.config);
});

test.each([
  [500, 20],
  [60, 150],
])("so does one with %d kB of certificates for each of %d monitors", (kilobytes, count) => {
  const monitors = [
    ...several(count, (index) => withFile(`greedy/web-${index}`, kilobytes)),
    ...several(40, (index) => withFile(`shop/web-${index}`, 10)),
    ...several(40, (index) => withFile(`blog/web-${index}`, 400, "shared")),
  ];
  const fitted = fit(monitors);
  expect(kept(fitted)).toMatchObject({ shop: 40, blog: 40, greedy: expect.any(Number) });
  expect(fitted.secrets.files.length).toBeLessThanOrEqual(8);
  const { file: still } = fitted.result.references.find(({ needed }) => needed === true) ?? {};
  expect(fitted.secrets.files.flatMap(({ data }) => Object.keys(data))).toContain(still);
  // References of monitors that are left out are watched: those may come to take less.
  expect(fitted.result.references).toHaveLength(count + 41);
});

test("where even all monitors are too few to leave out, it is said what takes the room", () => {
  const remoteWrite = Array.from({ length: 20 }, (_, index) => ({
    url: `http://${index}`,
    tlsConfig: { ca: { secret: { name: "ca-500", key: String(index) } } },
  }));
  expect(() => fit([withFile("shop/web", 1)], { remoteWrite })).toThrow(
    "The certificates and keys do not fit into 8 Secrets, even without any monitor; shorten the remote writes",
  );
});
