/** Addresses of one block, each given out once until it comes back. */
export class Ipv4Block {
  readonly #first: number;
  readonly #size: number;
  readonly #used = new Set<number>();
  #next = 2;

  constructor(first: number, size: number) {
    this.#first = first;
    this.#size = size;
  }

  get cidr(): string {
    return `${formatIpv4(this.#first)}/${32 - Math.log2(this.#size)}`;
  }

  /** The next free address, if any: a returned one is used again only when its turn comes, as CNI plugins do. */
  allocate(): string | undefined {
    for (let tries = 0; tries < this.#size; tries++) {
      const offset = this.#next;
      this.#next = this.#next + 1 >= this.#size - 1 ? 2 : this.#next + 1;
      if (this.#used.has(offset)) continue;
      this.#used.add(offset);
      return formatIpv4(this.#first + offset);
    }
    return undefined;
  }

  release(address: string): void {
    this.#used.delete(parseIpv4(address) - this.#first);
  }
}

export function formatIpv4(address: number): string {
  return [address >>> 24, (address >>> 16) & 255, (address >>> 8) & 255, address & 255].join(".");
}

export function parseIpv4(text: string): number {
  return text.split(".").reduce((address, part) => address * 256 + Number(part), 0);
}
