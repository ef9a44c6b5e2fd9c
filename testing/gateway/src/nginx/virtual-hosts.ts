import type { ProgrammedGateway } from "../controller/reference-controller.ts";
import { byExactness } from "../rules/hostnames.ts";
import type { ServedCertificate } from "../rules/key-pair.ts";
import { isServing } from "../rules/listeners.ts";
import type { Entry } from "../rules/precedence.ts";
import type { EvaluatedListener } from "../rules/evaluate.ts";

/** A host on one address and port. */
export interface VirtualHost {
  /** Undefined for whatever has no host of its own. */
  readonly host: string | undefined;
  readonly certificate: ServedCertificate | undefined;
  readonly entries: readonly Entry[];
}

export interface Endpoint {
  readonly address: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly hosts: readonly VirtualHost[];
}

/** The endpoints of a Gateway. A host belongs to the listener that names it most exactly, with routes or without. */
export function endpointsOf({ addresses, listeners }: ProgrammedGateway): Endpoint[] {
  const byPort = Map.groupBy(listeners.filter(isServing), ({ spec }) => spec.port);
  return addresses.flatMap((address) =>
    [...byPort].map(([port, onPort]) => ({
      address,
      port,
      isTls: onPort.some(({ spec }) => spec.protocol === "HTTPS"),
      hosts: hostsOf(onPort),
    })),
  );
}

function hostsOf(listeners: readonly EvaluatedListener[]): VirtualHost[] {
  const hosts = new Map<string | undefined, VirtualHost>();
  const exactFirst = listeners.toSorted((one, other) => byExactness(one.spec.hostname, other.spec.hostname));
  for (const { spec, entries, certificates } of exactFirst) {
    for (const host of new Set([spec.hostname, ...entries.map((entry) => entry.host)])) {
      if (hosts.has(host)) continue;
      const own = entries.filter((entry) => entry.host === host);
      hosts.set(host, { host, entries: own, certificate: certificates[0] });
    }
  }
  return [...hosts.values()];
}
