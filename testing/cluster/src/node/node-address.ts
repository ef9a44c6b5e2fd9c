import { randomInt } from "node:crypto";
import { networkInterfaces } from "node:os";
import { BowlineError } from "@bowline/core";

/** The addresses of one test cluster: every cluster on this machine gets ranges of its own. */
export interface NodeAddresses {
  /** This machine as the node sees it: the API server and the tests' own servers are here. */
  readonly host: string;
  /** The node as this machine sees it. */
  readonly node: string;
  readonly podRange: string;
}

/** 10.213.x.0/24 joins machine and node, 10.214.x.0/24 is for pods. */
export function nodeAddresses(cluster: number): NodeAddresses {
  return {
    host: `10.213.${cluster}.1`,
    node: `10.213.${cluster}.2`,
    podRange: `10.214.${cluster}.0/24`,
  };
}

/** Picks a cluster number whose addresses no interface of this machine has. */
export function chooseNodeAddresses(used: ReadonlySet<string> = usedAddresses()): NodeAddresses {
  const first = randomInt(256);
  for (let offset = 0; offset < 256; offset++) {
    const addresses = nodeAddresses((first + offset) % 256);
    if (!used.has(addresses.host)) return addresses;
  }
  throw new BowlineError("Internal", "All 256 address ranges for test clusters are in use.");
}

function usedAddresses(): Set<string> {
  return new Set(
    Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address)),
  );
}
