import { groupOf, namespaceOf, type KubeObject } from "../model/kube-object.ts";
import type { ClusterFacts, FactKind, Facts } from "./cluster-facts.ts";
import { endpointsFacts, endpointSliceFacts, ingressFacts, podFacts, serviceFacts } from "./object-facts.ts";

export interface FactsOfObjects {
  readonly facts: ClusterFacts;
  /** Those of which there is any object: nothing can be said about a cluster from what was left out of the files. */
  readonly kinds: ReadonlySet<FactKind>;
}

/** What counting needs, from objects as they are in files: all of them may be there, and none need be right. */
export function factsOfObjects(objects: readonly KubeObject[]): FactsOfObjects {
  const byKind = Map.groupBy(objects, (object) => `${groupOf(object) ?? "?"} ${object.kind}`);
  const kinds = new Set<FactKind>();
  const read = <T>(
    kind: FactKind,
    of: readonly [string, string],
    project: (object: Given) => T,
  ): Facts<T> => {
    const [group, name] = of;
    const found = ["?", group].flatMap((each) => byKind.get(`${each} ${name}`) ?? []);
    if (found.length > 0) kinds.add(kind);
    return factsBy(found, project);
  };
  const facts: ClusterFacts = {
    services: read("services", ["", "Service"], serviceFacts),
    endpoints: read("endpoints", ["", "Endpoints"], endpointsFacts),
    endpointSlices: read("endpointSlices", ["discovery.k8s.io", "EndpointSlice"], endpointSliceFacts),
    pods: read("pods", ["", "Pod"], podFacts),
    ingresses: read("ingresses", ["networking.k8s.io", "Ingress"], ingressFacts),
  };
  return { facts, kinds };
}

/** Its fields are what the kind says, or reading them throws. */
interface Given {
  readonly metadata: KubeObject["metadata"];
  readonly spec?: object;
}

function factsBy<T>(objects: readonly KubeObject[], project: (object: Given) => T): Facts<T> {
  const byName = new Map(
    objects.flatMap((object): [string, T][] => {
      const namespace = namespaceOf(object);
      const metadata = { ...object.metadata, namespace };
      const spec = Object(object.spec);
      try {
        return [[`${namespace}/${metadata.name}`, project({ ...object, metadata, spec })]];
      } catch {
        // Not what its kind says: no server would have taken it, so no collector can find it.
        return [];
      }
    }),
  );
  return { list: () => [...byName.values()], get: (namespace, name) => byName.get(`${namespace}/${name}`) };
}
