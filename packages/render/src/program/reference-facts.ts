import type { ClusterFacts } from "./app.ts";

/** Facts of no cluster in particular: each is the reference that Bowline fills in for every cluster. */
export function referenceFacts(): ClusterFacts {
  const labels: Record<string, string> = {};
  return {
    name: reference("name"),
    region: reference("region"),
    labels: new Proxy(labels, {
      get: (_, key) => (typeof key === "string" ? reference(`labels.${key}`) : undefined),
      has: (_, key) => typeof key === "string",
    }),
  };
}

function reference(fact: string): string {
  return `\${{ cluster.${fact} }}`;
}
