import type { Unresolved } from "../rules/references.ts";

/** Addresses for Gateways: each belongs to one of them until it is gone. */
export class AddressPool {
  readonly #addresses: readonly string[];
  readonly #held = new Map<string, string>();

  constructor(addresses: readonly string[]) {
    this.#addresses = addresses;
  }

  /** The address that a Gateway has; else the one it wants or had before this process began; else any. */
  take(
    gateway: string,
    wanted: { readonly requested: string | undefined; readonly earlier: string | undefined },
  ): string | Unresolved {
    const { requested, earlier } = wanted;
    const held = this.#held.get(gateway);
    if (held !== undefined && (requested ?? held) === held) return held;
    const free = this.#free();
    if (requested !== undefined && !free.includes(requested))
      return {
        reason: "AddressNotUsable",
        message: `Address ${requested} is taken, or not one of the pool.`,
      };
    const address = requested ?? free.find((each) => each === earlier) ?? free[0];
    if (address === undefined)
      return { reason: "AddressNotAssigned", message: "Every address of the pool is taken." };
    this.#held.set(gateway, address);
    return address;
  }

  /** Gives the Gateway another address, as a cloud does that makes its load balancer again. */
  change(gateway: string): void {
    const [other] = this.#free();
    if (other !== undefined) this.#held.set(gateway, other);
  }

  /** Takes back what Gateways hold that are gone. */
  keepOnly(gateways: ReadonlySet<string>): void {
    for (const gateway of this.#held.keys()) if (!gateways.has(gateway)) this.#held.delete(gateway);
  }

  #free(): string[] {
    const held = new Set(this.#held.values());
    return this.#addresses.filter((address) => !held.has(address));
  }
}
