import { randomInt } from "node:crypto";
import { networkInterfaces } from "node:os";

import { reapOnExit, runCommand } from "@bowline/test-services";

export interface PodAddress extends AsyncDisposable {
  readonly address: string;
}

/**
 * An address of this machine that pods of every cluster on it reach, for a server that is there before they are. It is
 * the machine's own while it is open, as a machine need not have any other than that of loopback.
 */
export async function openPodAddress(): Promise<PodAddress> {
  const interfaces = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const used = new Set(interfaces.map(({ address }) => address));
  // Another test may look at the same moment.
  const first = randomInt(candidates.length);
  const address = [...candidates.slice(first), ...candidates.slice(0, first)].find((each) => !used.has(each));
  if (address === undefined) throw new Error("All addresses for servers that pods reach are in use.");
  const change = (what: "add" | "delete"): [string, ...string[]] => [
    "ip",
    "address",
    what,
    `${address}/32`,
    "dev",
    "lo",
  ];
  const forget = reapOnExit({ kind: "command", argv: change("delete") });
  const run = async ([command, ...args]: [string, ...string[]]): Promise<void> => {
    await runCommand({ command, args });
  };
  await run(change("add"));
  return {
    address,
    async [Symbol.asyncDispose]() {
      await run(change("delete"));
      forget();
    },
  };
}

/** Beside the ranges of the clusters themselves, 10.213 and 10.214. */
const candidates = Array.from({ length: 256 }, (_, number) => `10.215.${number}.1`);
