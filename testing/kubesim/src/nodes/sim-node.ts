import type { Ipv4Block } from "./ipv4-block.ts";

export interface SimNodeOptions {
  /** Defaults to `node-1`, `node-2` and so on. */
  readonly name?: string;
  readonly cpu?: string;
  readonly memory?: string;
  readonly pods?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly zone?: string;
}

/** A simulated machine: what a kubelet knows that the API does not. */
export class SimNode {
  readonly name: string;
  readonly hostIp: string;
  readonly addresses: Ipv4Block;
  readonly options: SimNodeOptions;
  readonly #images = new Set<string>();
  /** A failed machine neither runs its pods on nor tells anybody. */
  isUp = true;

  constructor(name: string, hostIp: string, addresses: Ipv4Block, options: SimNodeOptions) {
    this.name = name;
    this.hostIp = hostIp;
    this.addresses = addresses;
    this.options = options;
  }

  hasImage(image: string): boolean {
    return this.#images.has(image);
  }

  keepImage(image: string): void {
    this.#images.add(image);
  }
}
