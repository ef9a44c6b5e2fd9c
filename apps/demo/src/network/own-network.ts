import { existsSync } from "node:fs";
import { readlink } from "node:fs/promises";

import { BowlineError, withDeadline, type Clock } from "@bowline/core";

import { cableAddresses, type CableAddresses } from "./cable-addresses.ts";
import { ipCommands, runProgram } from "./ip-commands.ts";
import { Relay } from "./relay.ts";

export interface ConnectOptions {
  /** A process that was started with `inOwnNetwork`. */
  readonly pid: number;
  /** Of the server, on loopback. */
  readonly port: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Before the command line of a process, it gives the process a network of its own, in which there is nothing. */
export const inOwnNetwork = ["unshare", "--net", "--"] as const;

const enterLimitMs = 5000;
const pollMs = 5;

/** Why no process can have a network of its own here, in words that complete "…, because"; undefined if one can. */
export async function whyNoOwnNetwork(): Promise<string | undefined> {
  if (process.platform !== "linux") return "that needs Linux";
  if (process.getuid?.() !== 0) return "that needs root";
  try {
    await runProgram([...inOwnNetwork, "ip", "link", "set", "lo", "up"]);
    return undefined;
  } catch (error) {
    const isMissing = error instanceof Error && String(error.cause).includes("ENOENT");
    return isMissing ? "the programs unshare and ip are missing" : "this machine does not allow it";
  }
}

/**
 * The way out of the network of a process: a cable whose other end it can call, where the server answers. What listens
 * in there listens on the loopback of that network, so there is no way in.
 *
 * The network belongs to its process and nobody else: when the process ends, the kernel takes it away with both ends
 * of the cable, whatever happens to this process.
 */
export class OwnNetwork {
  readonly #addresses: CableAddresses;
  readonly #relay: Relay;
  readonly #port: number;

  private constructor(addresses: CableAddresses, relay: Relay, port: number) {
    this.#addresses = addresses;
    this.#relay = relay;
    this.#port = port;
  }

  static async connect(options: ConnectOptions): Promise<OwnNetwork> {
    const { pid, port } = options;
    const addresses = cableAddresses(port);
    await entered(options);
    await removeCable(addresses);
    const { device, here, there } = addresses;
    try {
      await ipCommands([
        `link add name ${device} type veth peer name uplink netns ${pid}`,
        `address add ${here}/31 dev ${device}`,
        `link set ${device} up`,
      ]);
      await ipCommands(["link set lo up", `address add ${there}/31 dev uplink`, "link set uplink up"], pid);
      const relay = await Relay.listen({ host: here, port, target: { host: "127.0.0.1", port } });
      return new OwnNetwork(addresses, relay, port);
    } catch (error) {
      await removeCable(addresses);
      throw error;
    }
  }

  /** Where the server is, as seen from there. */
  get server(): string {
    return `https://${this.#addresses.here}:${this.#port}`;
  }

  async close(): Promise<void> {
    await this.#relay.close();
    // The kernel does it too when the process has ended, but in its own time.
    await removeCable(this.#addresses);
  }
}

async function removeCable({ device }: CableAddresses): Promise<void> {
  const isThere = (): boolean => existsSync(`/sys/class/net/${device}`);
  if (!isThere()) return;
  await ipCommands([`link delete ${device}`]).catch((error: unknown) => {
    if (isThere()) throw error;
  });
}

/** `unshare` becomes the program it starts, so between the two there is a moment in the network of this process. */
async function entered({ pid, clock, signal }: ConnectOptions): Promise<void> {
  const onTimeout = (): BowlineError =>
    new BowlineError("Timeout", "unshare did not make a network in time.");
  const own = await readlink("/proc/self/ns/net");
  await withDeadline(
    async (within) => {
      while ((await readlink(`/proc/${pid}/ns/net`)) === own) await clock.sleep(pollMs, within);
    },
    { clock, limitMs: enterLimitMs, signal, onTimeout },
  );
}
