import type { FactKind } from "./cluster-facts.ts";
import type { TargetQuery } from "./target-query.ts";

/**
 * The objects that counting takes. Pods are most of a cluster, and mostly nobody has to look at them: who asks for the
 * port of a Service by its name finds all in the endpoints, which Kubernetes keeps free of finished pods.
 */
export function factKinds(query: TargetQuery): readonly FactKind[] {
  switch (query.from) {
    case "services": {
      const endpoints = query.role === "endpoints" ? "endpoints" : "endpointSlices";
      return query.port?.of === "endpoint" ? ["services", endpoints] : ["services", endpoints, "pods"];
    }
    case "pods":
      return ["pods"];
    case "ingresses":
      return ["ingresses"];
    case "list":
    case "elsewhere":
    default:
      return [];
  }
}
