import type { Author, Gateway, WorkloadDefinition } from "@bowline/api";

import { madeForGateways } from "../entry.ts";
import type { OwnedWorkload } from "../owned-workloads.ts";
import { serviceParameters } from "./service-parameters.ts";
import {
  broughtBy,
  namespaceName,
  serviceLabel,
  serviceName,
  serviceNamespace,
  serviceNotes,
  type SupportService,
} from "./support-service.ts";

export interface ServiceInput {
  readonly service: SupportService;
  readonly definition: WorkloadDefinition;
  readonly author: Author;
  /** The Gateways that need it. */
  readonly needers: readonly Gateway[];
  readonly installation: string;
}

const noteOfNeed = "bowline.dev/needed-by";
/** For more there is no room; they are counted. */
const maxNamed = 20;

/** The namespace of a service, which has to be there before it, and goes after it. */
export function namespaceWorkload(input: ServiceInput): OwnedWorkload {
  const name = serviceNamespace(input.service);
  return {
    ...partsOf(input),
    name: namespaceName(input.service),
    objects: [
      {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: {
          name,
          labels: { [madeForGateways]: "true" },
          // Nothing is in it but what is installed for Gateways.
          annotations: { "bowline.dev/prune": "allowed" },
        },
      },
    ],
  };
}

export function serviceWorkload(input: ServiceInput): OwnedWorkload {
  const { service, definition, needers, installation } = input;
  const hosts = needers.flatMap(({ spec }) => spec.hosts);
  return {
    ...partsOf(input),
    name: serviceName(service),
    definition: definition.metadata.name,
    parameters: serviceParameters(definition.spec, { service, installation, hosts }),
    after: namespaceName(service),
    ...(service.type === "cert-manager" ? { definitionNotes: { [broughtBy]: serviceName(service) } } : {}),
    // A definition that has lost much of what it had takes others' Certificates with it: somebody should look first.
    pruneLimit: { count: 10, percent: 25 },
  };
}

function partsOf({ service, author, needers }: ServiceInput) {
  return {
    cluster: service.cluster,
    labels: { [madeForGateways]: serviceLabel },
    annotations: { ...serviceNotes(service), [noteOfNeed]: neededBy(needers) },
    namespace: serviceNamespace(service),
    author,
  };
}

/** Changes with everybody who comes or goes: see `SupportServices`. */
function neededBy(needers: readonly Gateway[]): string {
  const names = needers.map(({ metadata }) => metadata.name).toSorted();
  const more = names.length - maxNamed;
  return [...names.slice(0, maxNamed), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}
