import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, readlink } from "node:fs/promises";
import { text } from "node:stream/consumers";

import { BowlineError, withDeadline, type Clock } from "@bowline/core";

import { PortForwarder } from "./port-forwarder.ts";

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

const upLimitMs = 5000;
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
  readonly #forwarder: PortForwarder;
  readonly #port: number;

  private constructor(addresses: CableAddresses, forwarder: PortForwarder, port: number) {
    this.#addresses = addresses;
    this.#forwarder = forwarder;
    this.#port = port;
  }

  static async connect(options: ConnectOptions): Promise<OwnNetwork> {
    const { pid, port } = options;
    const addresses = cableAddresses(port);
    await entered(options);
    await removeCable(addresses);
    const { device, here, there } = addresses;
    try {
      await ipCommands([`link add name ${device} type veth peer name uplink netns ${pid}`]);
      await withoutLateAddress(device);
      await ipCommands([`address add ${here}/31 dev ${device}`, `link set ${device} up`]);
      await ipCommands(["link set lo up", `address add ${there}/31 dev uplink`, "link set uplink up"], pid);
      await toldOf(device, options);
      const forwarder = await PortForwarder.listen({ host: here, port, target: { host: "127.0.0.1", port } });
      return new OwnNetwork(addresses, forwarder, port);
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
    await this.#forwarder.close();
    // The kernel does it too when the process has ended, but in its own time.
    await removeCable(this.#addresses);
  }
}

/**
 * An address of IPv6 comes a second after its device. A browser takes that for another network, and gives up what it is
 * loading. Where there is no IPv6, there is nothing to do.
 */
async function withoutLateAddress(device: string): Promise<void> {
  await ipCommands([`link set dev ${device} addrgenmode none`]).catch(() => {});
}

async function removeCable({ device }: CableAddresses): Promise<void> {
  const isThere = (): boolean => existsSync(`/sys/class/net/${device}`);
  if (!isThere()) return;
  await ipCommands([`link delete ${device}`]).catch((error: unknown) => {
    if (isThere()) throw error;
  });
}

/** `unshare` becomes the program it starts, so between the two there is a moment in the network of this process. */
async function entered(options: ConnectOptions): Promise<void> {
  const own = await readlink("/proc/self/ns/net");
  await until(async () => (await readlink(`/proc/${options.pid}/ns/net`)) !== own, {
    ...options,
    what: "unshare did not make a network in time.",
  });
}

/** The system tells of a device up to a second after it is there, and browsers hear of it. */
async function toldOf(device: string, options: ConnectOptions): Promise<void> {
  await until(async () => (await readFile(`/sys/class/net/${device}/operstate`, "utf8")).trim() === "up", {
    ...options,
    what: `The device ${device} did not come up in time.`,
  });
}

async function until(
  condition: () => Promise<boolean>,
  { clock, signal, what }: ConnectOptions & { readonly what: string },
): Promise<void> {
  const onTimeout = (): BowlineError => new BowlineError("Timeout", what);
  await withDeadline(
    async (within) => {
      while (!(await condition())) await clock.sleep(pollMs, within);
    },
    { clock, limitMs: upLimitMs, signal, onTimeout },
  );
}

/** The two ends of a cable between this machine and a network namespace. */
interface CableAddresses {
  /** The name of its end on this machine. */
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

/** Runs lines of `ip -batch`, on this machine or, by the pid of a process, in its network namespace. */
async function ipCommands(lines: readonly string[], pid?: number): Promise<void> {
  const enter = pid === undefined ? [] : ["nsenter", "--target", String(pid), "--net", "--"];
  await runProgram([...enter, "ip", "-batch", "-"], `${lines.join("\n")}\n`);
}

/** Rejects with `ProcessFailed`, and what the program said, unless it ends well. */
async function runProgram(argv: readonly string[], stdin = ""): Promise<void> {
  const [command = "", ...args] = argv;
  const child = spawn(command, args, { stdio: ["pipe", "ignore", "pipe"] });
  // One that ends without reading everything has said why.
  child.stdin.on("error", () => {}).end(stdin);
  try {
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
    if (code === 0) return;
    throw new Error(`${command} ended with ${code}: ${said.trim()}`);
  } catch (cause) {
    throw new BowlineError("ProcessFailed", `${argv.join(" ")} failed.`, { cause });
  }
}
