import { expect } from "vitest";

import type { ConsoleServer } from "./console-server.ts";

interface Told {
  readonly cluster: string;
  /** `Secret/shop/key`. */
  readonly node: string;
  /** How many objects are around it at least, with itself. */
  readonly total?: number;
}

/** Resolves when the agent has told of an object and what is around it: before, a page has nothing to draw. */
export async function untilTold({ admin }: ConsoleServer, { cluster, node, total = 1 }: Told): Promise<void> {
  const isTold = async (): Promise<boolean> => {
    const { data, notObserved } = await admin.askGraph("around", { cluster, node });
    const isAll = !notObserved.some(({ state }) => state === "UNKNOWN");
    return isAll && data.found && data.total >= total;
  };
  await expect.poll(isTold).toBe(true);
}
