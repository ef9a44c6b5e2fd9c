const rangeStart = (10 << 24) | (96 << 16);
const rangeSize = 65_536;

/** Hands out service addresses of 10.96.0.0/16; the first usable one belongs to the API server itself. */
export class ClusterIpAllocator {
  readonly #taken = new Set<string>();
  #next = 2;

  /** Takes the address that was asked for, or the next free one; undefined when that is not possible. */
  allocate(asked?: string): string | undefined {
    if (asked !== undefined) {
      if (this.#taken.has(asked)) return undefined;
      this.#taken.add(asked);
      return asked;
    }
    for (let tried = 0; tried < rangeSize; tried += 1) {
      const address = addressAt(this.#next);
      this.#next = this.#next + 1 >= rangeSize - 1 ? 2 : this.#next + 1;
      if (this.#taken.has(address)) continue;
      this.#taken.add(address);
      return address;
    }
    return undefined;
  }

  release(address: string): void {
    this.#taken.delete(address);
  }
}

function addressAt(offset: number): string {
  const value = rangeStart + offset;
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255].join(".");
}
