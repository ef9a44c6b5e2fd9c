import type { EdgeEnd, EdgeFacts, NodeRef, ObjectFacts, SelectionFacts } from "@bowline/graph";
import * as fc from "fast-check";

import type { SourceCluster } from "../graph-source.ts";

/** Few names, so that objects meet: as rivals for a name, as ends of the same edges, with the same labels. */
const node: fc.Arbitrary<NodeRef> = fc.record({
  kind: fc.constantFrom("Pod", "Service", "Secret", "Widget.example.com"),
  namespace: fc.constantFrom("a", "b"),
  name: fc.constantFrom("x", "y"),
});
const shared: fc.Arbitrary<NodeRef> = fc.record({
  kind: fc.constantFrom("User", "ContainerImage"),
  namespace: fc.constant(""),
  name: fc.constantFrom("one", "two"),
});
const uid = fc.constantFrom("u1", "u2", "u3", "u4", "u5", "u6");
const labels = fc.dictionary(fc.constantFrom("app", "tier"), fc.constantFrom("web", "db"), { maxKeys: 2 });
const end: fc.Arbitrary<EdgeEnd> = fc.oneof(fc.nat(2), node, shared);
const edge: fc.Arbitrary<EdgeFacts> = fc.record({
  type: fc.constantFrom("OWNS", "USES_SECRET", "ROUTES_TO", "RUNS_IMAGE"),
  from: end,
  to: end,
  at: fc.constantFrom("/spec/a", "/spec/b"),
});
const selection: fc.Arbitrary<SelectionFacts> = fc.record({
  type: fc.constant("SELECTS"),
  kind: fc.constant("Pod"),
  namespace: fc.constantFrom("a", "b"),
  selector: fc.oneof(
    fc.record({ matchLabels: labels }),
    fc.constant({ matchExpressions: [{ key: "app", operator: "NotIn" as const, values: ["web"] }] }),
  ),
  at: fc.constant("/spec/selector"),
});

export const randomFacts: fc.Arbitrary<ObjectFacts> = fc
  .record({
    node,
    uid,
    labels,
    createdAt: fc.constantFrom("2026-11-16T10:00:00Z", "2026-11-16T11:00:00Z"),
    parts: fc.uniqueArray(fc.constantFrom("c1", "c2"), { maxLength: 2 }),
    edges: fc.array(edge, { maxLength: 5 }),
    selections: fc.array(selection, { maxLength: 2 }),
  })
  .map(({ labels, createdAt, parts, ...facts }) => ({
    ...facts,
    properties: { labels, createdAt },
    parts: parts.map((part) => ({
      node: { ...facts.node, kind: `PartOf${facts.node.kind}`, name: `${facts.node.name}/${part}` },
      properties: { part },
    })),
  }));

type Action = { readonly cluster: SourceCluster } & (
  | { readonly replace: ObjectFacts }
  | { readonly remove: string }
);

const cluster = fc.constantFrom({ id: "c1", name: "prod" }, { id: "c2", name: "test" });

export const randomAction: fc.Arbitrary<Action> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ cluster, replace: randomFacts }) },
  fc.record({ cluster, remove: uid }),
);
