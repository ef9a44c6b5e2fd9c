import type { ClusterFacts, IngressFacts, PodFacts, ServiceFacts } from "./cluster-facts.ts";
import { countEndpoints, countPods, serviceEndpoints, type ServiceEndpoints } from "./count-targets.ts";
import { LabelIndex } from "./label-index.ts";
import type { ServiceTargets, TargetQuery } from "./target-query.ts";
import { whyNoEndpoints, whyNoIngresses, whyNoPods } from "./why-none.ts";

/**
 * Counts what jobs will find in a cluster as it is at one moment. What queries have in common is looked up once, so ask
 * one counter all of them, and then forget it: it does not follow changes.
 */
export class TargetCounter {
  readonly #facts: ClusterFacts;
  readonly #endpoints = new Map<ServiceTargets["role"], LabelIndex<ServiceEndpoints>>();
  #services: LabelIndex<ServiceFacts> | undefined;
  #pods: LabelIndex<PodFacts> | undefined;
  #ingresses: LabelIndex<IngressFacts> | undefined;

  constructor(facts: ClusterFacts) {
    this.#facts = facts;
  }

  /** Undefined where targets cannot be counted. */
  count(query: TargetQuery): number | undefined {
    switch (query.from) {
      case "list":
        return query.count;
      case "services":
        return sumOf(this.#endpointsFor(query), (each) =>
          countEndpoints(each, query, (name) => this.#facts.pods.get(each.namespace, name)),
        );
      case "pods":
        return countPods(this.#podIndex().select(query.namespaces, query.labels), query);
      case "ingresses":
        return sumOf(this.#ingressIndex().select(query.namespaces, query.labels), ({ targets }) => targets);
      case "elsewhere":
      default:
        return undefined;
    }
  }

  /** Why a query finds nothing, as a sentence. */
  whyNone(query: TargetQuery): string {
    switch (query.from) {
      case "services": {
        const services = this.#serviceIndex().select(query.namespaces, query.labels);
        return whyNoEndpoints(query, services, this.#endpointsFor(query));
      }
      case "pods":
        return whyNoPods(query, this.#podIndex().select(query.namespaces, query.labels));
      case "ingresses":
        return whyNoIngresses(query, this.#ingressIndex().select(query.namespaces, query.labels));
      case "list":
      case "elsewhere":
      default:
        return "It lists no targets.";
    }
  }

  #endpointsFor({ role, namespaces, labels }: ServiceTargets): ServiceEndpoints[] {
    const index = this.#endpoints.get(role) ?? new LabelIndex(serviceEndpoints(this.#facts, role));
    this.#endpoints.set(role, index);
    return index.select(namespaces, labels);
  }

  #serviceIndex(): LabelIndex<ServiceFacts> {
    return (this.#services ??= new LabelIndex(this.#facts.services.list()));
  }

  #podIndex(): LabelIndex<PodFacts> {
    return (this.#pods ??= new LabelIndex(this.#facts.pods.list()));
  }

  #ingressIndex(): LabelIndex<IngressFacts> {
    return (this.#ingresses ??= new LabelIndex(this.#facts.ingresses.list()));
  }
}

function sumOf<T>(all: readonly T[], count: (each: T) => number): number {
  return all.reduce((sum, each) => sum + count(each), 0);
}
