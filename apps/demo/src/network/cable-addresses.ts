/** The two ends of a cable between this machine and a network namespace. */
export interface CableAddresses {
  /** What this machine calls its end. */
  readonly device: string;
  readonly here: string;
  readonly there: string;
}

/** 198.18.0.0/15, which is set aside for tests within one machine or lab and routed nowhere. */
const firstAddress = ((198 << 24) | (18 << 16)) >>> 0;

/**
 * A pair of addresses for every port that a demo may have: whoever has the port has the pair, so that demos do not get
 * into each other's way, and what is left of one that was killed is recognised by the next on the same port.
 */
export function cableAddresses(port: number): CableAddresses {
  const here = firstAddress + 2 * port;
  return { device: `bowline-${port}`, here: dotted(here), there: dotted(here + 1) };
}

function dotted(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff).join(".");
}
