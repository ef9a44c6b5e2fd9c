import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";

import { object, prometheus, renderObjects } from "../testing/sample-objects.ts";

const names =
  `endpoints podMetricsEndpoints targets staticConfig static ingress prober url params selector matchLabels
  matchExpressions key operator values name namespaceSelector any relabelings metricRelabelings regex action sourceLabels
  targetLabel tlsConfig ca secret basicAuth oauth2 authorization credentials interval scrapeTimeout sampleLimit labels
  remoteWrite externalLabels scrapeClasses shards additionalScrapeConfigs queueConfig headers kubernetesSDConfigs
  staticConfigs proxyConnectHeader bodySizeLimit __proto__ constructor`.split(/\s+/u);

/** Objects with the right names in the wrong places, and with anything for values. */
const { spec } = fc.letrec((tie) => ({
  spec: fc.oneof(
    { maxDepth: 6, depthSize: "large" },
    fc.oneof(
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.constantFrom("30s", "(", "In", "https"),
    ),
    fc.array(tie("spec"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie("spec"), { maxKeys: 8 }),
  ),
}));

test("whatever stands in an object, it is rendered or rejected, and the configuration can be read", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), spec), spec, (rootSpec, monitorSpec) => {
      const root = prometheus(rootSpec);
      const kinds = ["ServiceMonitor", "PodMonitor", "Probe", "ScrapeConfig"];
      const objects = kinds.map((kind) => object(kind, "shop/hostile", monitorSpec));
      const result = renderObjects(root, objects);
      expect(parse(result.config)).toHaveProperty("scrape_configs");
      const told = result.explanation.monitors.map(
        ({ jobs, problems, notes, verdicts }) => [...jobs, ...problems, ...notes, ...verdicts].length > 0,
      );
      expect(told).toEqual([true, true, true, true]);
    }),
    { numRuns: 1000 },
  );
});
