import { asRecord } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";

import { entryNamespace, listenerName, madeForGateways, plainListener, type Entry } from "./entry.ts";
import { apiVersionOf, type GatewayApis } from "./gateway-apis.ts";
import { placeListeners, type ListenerPlace } from "./place-listeners.ts";
import { textIn } from "./read-conditions.ts";

/** Where the certificate of a host comes from. */
export type HostCertificate =
  | { readonly from: "issuer"; readonly issuer: string }
  | { readonly from: "secret"; readonly namespace: string; readonly name: string }
  | { readonly from: "bowline" };

/** A host that an entry listens for. */
export interface EntryHost {
  readonly host: string;
  readonly mode: "terminate" | "passthrough";
  /** Missing for one that is passed through, and for one whose issuer is not known yet. */
  readonly certificate?: HostCertificate | undefined;
}

export interface EntryInput {
  readonly entry: Entry;
  readonly apis: GatewayApis;
  /** Each once, in an order that does not change. Hosts without encryption need no listener of their own. */
  readonly hosts: readonly EntryHost[];
  /** Where listeners are already. */
  readonly known: ReadonlyMap<string, ListenerPlace>;
}

const placeOf = "bowline.dev/host";

/** The objects of an entry: its namespace, its Gateways, what else has listeners, and the certificates it asks for. */
export function entryObjects({ entry, apis, hosts, known }: EntryInput): KubeObject[] {
  const namespace = entryNamespace(entry);
  const names = hosts.map(({ host }) => host);
  const places = placeListeners(names, { known, hasSets: apis.listenerSet !== undefined });
  const count = (kind: ListenerPlace["kind"]): number =>
    Math.max(0, ...[...places.values()].flatMap((place) => (place.kind === kind ? [place.index + 1] : [])));
  const listenersAt = (kind: ListenerPlace["kind"], index: number): object[] =>
    hosts
      .filter(({ host }) => places.get(host)?.kind === kind && places.get(host)?.index === index)
      .map((host) => listenerOf(host, namespace));
  const gateways = Array.from({ length: Math.max(1, count("Gateway")) }, (_, index) =>
    gatewayObject({ entry, apis, index, listeners: listenersAt("Gateway", index) }),
  );
  const sets = Array.from({ length: count("ListenerSet") }, (_, index) => {
    const listeners = listenersAt("ListenerSet", index);
    // A cluster takes none without listeners; those behind it stay where they are.
    return listeners.length === 0 ? undefined : listenerSetObject({ entry, apis, index, listeners });
  });
  return [
    {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: {
        name: namespace,
        labels: { [madeForGateways]: "true" },
        // Nothing is in it but what is made for the entry.
        annotations: { "bowline.dev/prune": "allowed" },
      },
    },
    ...gateways,
    ...sets.filter((set) => set !== undefined),
    ...hosts.flatMap((host) => certificateObject(host, { entry, apis })),
  ];
}

/** The Gateway or ListenerSet of an entry at a place. */
export function placeName(entry: Entry, { kind, index }: ListenerPlace): string {
  const name = entryNamespace(entry);
  if (kind === "ListenerSet") return `${name}-more-${index + 1}`;
  return index === 0 ? name : `${name}-${index + 1}`;
}

/** Where the listeners of an entry are, as its objects say that were written last. */
export function knownPlaces(
  entry: Entry,
  objects: readonly KubeObject[],
): ReadonlyMap<string, ListenerPlace> {
  const known = new Map<string, ListenerPlace>();
  for (const kind of ["Gateway", "ListenerSet"] as const) {
    for (const object of objects.filter((each) => each.kind === kind)) {
      const place = placeIn(entry, kind, object);
      if (place !== undefined) for (const host of hostsOf(object)) known.set(host, place);
    }
  }
  return known;
}

function placeIn(
  entry: Entry,
  kind: ListenerPlace["kind"],
  { metadata: { name = "" } }: KubeObject,
): ListenerPlace | undefined {
  const number = Number(/-(\d+)$/u.exec(name)?.[1] ?? "1");
  return [0, number - 1].map((index) => ({ kind, index })).find((place) => placeName(entry, place) === name);
}

/** The issuers that the objects of an entry asked last, by host. */
export function askedIssuers(objects: readonly KubeObject[]): ReadonlyMap<string, string> {
  return new Map(
    objects.flatMap(({ kind, metadata, spec }) => {
      const host = metadata.annotations?.[placeOf];
      const issuer = textIn(asRecord(spec)["issuerRef"], "name");
      return kind !== "Certificate" || host === undefined || issuer === "" ? [] : [[host, issuer] as const];
    }),
  );
}

function hostsOf({ spec }: KubeObject): string[] {
  if (typeof spec !== "object" || spec === null || !("listeners" in spec)) return [];
  const { listeners } = spec;
  if (!Array.isArray(listeners)) return [];
  return listeners.flatMap((listener: { readonly hostname?: unknown }) =>
    typeof listener.hostname === "string" ? [listener.hostname] : [],
  );
}

interface PartOfEntry {
  readonly entry: Entry;
  readonly apis: GatewayApis;
  readonly index: number;
  readonly listeners: readonly object[];
}

const fromEverywhere = { namespaces: { from: "All" } };

function gatewayObject({ entry, apis, index, listeners }: PartOfEntry): KubeObject {
  const plain = { name: plainListener, port: 80, protocol: "HTTP", allowedRoutes: fromEverywhere };
  return {
    apiVersion: apiVersionOf(apis.gateway),
    kind: "Gateway",
    metadata: metadataOf(entry, placeName(entry, { kind: "Gateway", index })),
    spec: {
      gatewayClassName: entry.class,
      listeners: [plain, ...listeners],
      ...(apis.listenerSet === undefined ? {} : { allowedListeners: { namespaces: { from: "Same" } } }),
    },
  };
}

function listenerSetObject({ entry, apis, index, listeners }: PartOfEntry): KubeObject | undefined {
  if (apis.listenerSet === undefined) return undefined;
  return {
    apiVersion: apiVersionOf(apis.listenerSet),
    kind: "ListenerSet",
    metadata: metadataOf(entry, placeName(entry, { kind: "ListenerSet", index })),
    spec: {
      parentRef: { name: placeName(entry, { kind: "Gateway", index: 0 }) },
      listeners,
    },
  };
}

function metadataOf(entry: Entry, name: string): KubeObject["metadata"] {
  return { name, namespace: entryNamespace(entry), labels: { [madeForGateways]: "true" } };
}

function listenerOf({ host, mode, certificate }: EntryHost, namespace: string): object {
  const secret =
    certificate?.from === "secret"
      ? { kind: "Secret", name: certificate.name, namespace: certificate.namespace }
      : { kind: "Secret", name: listenerName(host), namespace };
  return {
    name: listenerName(host),
    hostname: host,
    port: 443,
    protocol: mode === "passthrough" ? "TLS" : "HTTPS",
    tls: mode === "passthrough" ? { mode: "Passthrough" } : { mode: "Terminate", certificateRefs: [secret] },
    allowedRoutes: fromEverywhere,
  };
}

/**
 * Asks cert-manager by an object of its own and not by a note on the Gateway: each host may have another issuer, the
 * answer has a name, and cert-manager needs no setting for it.
 */
function certificateObject(
  { host, certificate }: EntryHost,
  { entry, apis }: Pick<EntryInput, "entry" | "apis">,
): KubeObject[] {
  if (certificate?.from !== "issuer" || apis.certificates === undefined) return [];
  const { metadata } = { metadata: metadataOf(entry, listenerName(host)) };
  return [
    {
      apiVersion: apiVersionOf(apis.certificates.certificate),
      kind: "Certificate",
      metadata: { ...metadata, annotations: { [placeOf]: host } },
      spec: {
        secretName: listenerName(host),
        // cert-manager leaves the Secret when the Certificate goes; by this it is found and removed.
        secretTemplate: { labels: { [madeForGateways]: "true" } },
        dnsNames: [host],
        issuerRef: { group: "cert-manager.io", kind: "ClusterIssuer", name: certificate.issuer },
      },
    },
  ];
}
