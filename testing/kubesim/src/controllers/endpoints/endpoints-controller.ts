import { labelKey } from "../cluster.ts";
import type { ControllerContext } from "../controller-context.ts";
import type { EndpointPort, EndpointSlice, Service, SliceEndpoint } from "../kinds/network.ts";
import type { Pod } from "../kinds/pod.ts";
import { hasLabels } from "../label-selector.ts";
import { keyOf, type Change, type Index } from "../loop/resource.ts";
import type { WorkQueue } from "../loop/work-loop.ts";
import { controllerReference, isControlledBy } from "../owner-references.ts";
import { endpointPorts, endpointSubsets, servingPods, sliceEndpoint } from "./service-endpoints.ts";

const serviceNameLabel = "kubernetes.io/service-name";
const managedByLabel = "endpointslice.kubernetes.io/managed-by";
const manager = "endpointslice-controller.k8s.io";
const slicePods = 100;

/** Keeps the addresses behind every service that has a selector: as Endpoints and as EndpointSlices. */
export class EndpointsController {
  readonly #context: ControllerContext;
  readonly #queue: WorkQueue;
  readonly #servicesByLabel: Index<Service>;
  readonly #slicesByService: Index<EndpointSlice>;

  constructor(context: ControllerContext) {
    const { cluster, loop } = context;
    this.#context = context;
    this.#queue = loop.queue("endpoints", (key) => this.#reconcile(key));
    this.#servicesByLabel = cluster.services.index(serviceKeys);
    this.#slicesByService = cluster.endpointSlices.index(sliceKeys);
  }

  start(): void {
    const { cluster } = this.#context;
    cluster.services.onChange(({ object }) => this.#queue.add(keyOf(object)));
    cluster.pods.onChange((change) => this.#podChanged(change));
    for (const service of cluster.services.list()) this.#queue.add(keyOf(service));
  }

  #podChanged({ object, previous }: Change<Pod>): void {
    this.#queueServicesOf(object);
    if (previous !== undefined && previous.metadata.labels !== object.metadata.labels)
      this.#queueServicesOf(previous);
  }

  #queueServicesOf(pod: Pod): void {
    const { labels, namespace } = pod.metadata;
    for (const [key, value] of Object.entries(labels ?? {})) {
      for (const service of this.#servicesByLabel.get(labelKey(namespace, key, value))) {
        if (hasLabels(service.spec.selector, labels)) this.#queue.add(keyOf(service));
      }
    }
  }

  #reconcile(key: string): void {
    const service = this.#context.cluster.services.byKey(key);
    if (service === undefined) {
      this.#removeEndpoints(key);
      return;
    }
    if (!hasSelector(service) || service.metadata.deletionTimestamp !== undefined) return;
    const pods = servingPods(this.#selectedPods(service));
    this.#writeEndpoints(service, pods);
    this.#writeSlices(service, pods);
  }

  #selectedPods(service: Service): Pod[] {
    const { podsByLabel } = this.#context.cluster;
    const keys = Object.entries(service.spec.selector ?? {}).map(([key, value]) =>
      labelKey(service.metadata.namespace, key, value),
    );
    // The rarest label leaves the fewest pods to look at.
    const rarest = keys.toSorted((a, b) => podsByLabel.count(a) - podsByLabel.count(b))[0];
    if (rarest === undefined) return [];
    return podsByLabel.get(rarest).filter((pod) => hasLabels(service.spec.selector, pod.metadata.labels));
  }

  #removeEndpoints(key: string): void {
    const { endpoints } = this.#context.cluster;
    const orphan = endpoints.byKey(key);
    if (orphan !== undefined) endpoints.delete(orphan);
  }

  #writeEndpoints(service: Service, pods: readonly Pod[]): void {
    const { endpoints } = this.#context.cluster;
    const { name, namespace, labels } = service.metadata;
    const subsets = endpointSubsets(service, pods);
    const found = endpoints.get(namespace, name);
    if (found !== undefined) {
      const { subsets: _, ...rest } = found;
      endpoints.update({
        ...rest,
        ...(subsets.length === 0 ? {} : { subsets }),
        metadata: found.metadata,
        apiVersion: "v1",
        kind: "Endpoints",
      });
      return;
    }
    endpoints.create({
      apiVersion: "v1",
      kind: "Endpoints",
      metadata: {
        name,
        ...(namespace === undefined ? {} : { namespace }),
        ...(labels === undefined ? {} : { labels }),
      },
      ...(subsets.length === 0 ? {} : { subsets }),
    });
  }

  #writeSlices(service: Service, pods: readonly Pod[]): void {
    const found = this.#slicesByService.get(keyOf(service)).filter((slice) => isControlledBy(slice, service));
    const wanted = slicesFor(service, pods);
    for (const [at, { endpoints, ports }] of wanted.entries()) {
      const slice = found[at];
      if (slice === undefined) this.#createSlice(service, { endpoints, ports });
      else this.#context.cluster.endpointSlices.update({ ...slice, endpoints, ports });
    }
    for (const slice of found.slice(wanted.length)) this.#context.cluster.endpointSlices.delete(slice);
  }

  #createSlice(service: Service, { endpoints, ports }: WantedSlice): void {
    const { name, namespace, labels } = service.metadata;
    this.#context.cluster.endpointSlices.create({
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: {
        generateName: `${name}-`,
        ...(namespace === undefined ? {} : { namespace }),
        labels: { ...labels, [managedByLabel]: manager, [serviceNameLabel]: name },
        ownerReferences: [controllerReference(service)],
      },
      addressType: "IPv4",
      endpoints,
      ports,
    });
  }
}

interface WantedSlice {
  readonly endpoints: SliceEndpoint[] | null;
  readonly ports: EndpointPort[] | null;
}

/** Slices hold at most a hundred pods with the same ports; a service without pods has one that is empty. */
function slicesFor(service: Service, pods: readonly Pod[]): WantedSlice[] {
  const groups = Map.groupBy(pods, (pod) => JSON.stringify(endpointPorts(service, pod)));
  const slices = [...groups].flatMap(([portsKey, members]) => {
    const ports: EndpointPort[] = JSON.parse(portsKey);
    const endpoints = members.map((pod) => sliceEndpoint(service, pod));
    const count = Math.ceil(endpoints.length / slicePods);
    return Array.from({ length: count }, (_, at): WantedSlice => ({
      endpoints: endpoints.slice(at * slicePods, (at + 1) * slicePods),
      ports: ports.length === 0 ? null : ports,
    }));
  });
  return slices.length === 0 ? [{ endpoints: null, ports: null }] : slices;
}

function hasSelector(service: Service): boolean {
  return service.spec.type !== "ExternalName" && Object.keys(service.spec.selector ?? {}).length > 0;
}

/** One label of the selector is enough to find the services a pod may belong to. */
function serviceKeys(service: Service): readonly string[] {
  const first = Object.entries(service.spec.selector ?? {})[0];
  return first === undefined ? [] : [labelKey(service.metadata.namespace, first[0], first[1])];
}

function sliceKeys(slice: EndpointSlice): readonly string[] {
  const service = slice.metadata.labels?.[serviceNameLabel];
  return service === undefined ? [] : [`${slice.metadata.namespace ?? ""}/${service}`];
}
