import { expect, test } from "vitest";

import type { MetricsAgent } from "../objects/kinds.ts";
import { allFieldsUsed, listUnusedFields, unusedFieldEvents } from "./unused-fields.ts";

const agent: MetricsAgent = {
  apiVersion: "monitoring.grafana.com/v1alpha1",
  kind: "GrafanaAgent",
  metadata: { namespace: "default", name: "main", uid: "1" },
  spec: {},
};

test("more fields than a status holds are counted in the condition, and told once", () => {
  const fields = Array.from({ length: 150 }, (_, index) => ({ path: `spec.f${index}`, reason: "None." }));
  const found = [{ object: agent, fields }];
  const withoutMeaning = listUnusedFields(agent, found);
  expect(withoutMeaning).toHaveLength(100);
  expect(allFieldsUsed(found).message).toMatch(/spec\.f4 of the GrafanaAgent default\/main and 145 more\.$/u);
  expect(unusedFieldEvents(agent, found)).toHaveLength(1);
  expect(unusedFieldEvents({ ...agent, status: { withoutMeaning } }, found)).toEqual([]);
});
