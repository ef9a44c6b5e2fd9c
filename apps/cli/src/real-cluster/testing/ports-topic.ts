import { randomBytes } from "node:crypto";
import { createInterface } from "node:readline";

import { expect, test } from "vitest";

import type { Kubectl } from "./kubectl.ts";

const connections = 24;

async function echoed(port: string, body: Buffer): Promise<Buffer> {
  const answer = await fetch(`http://127.0.0.1:${port}/`, {
    method: "POST",
    body,
    headers: { connection: "close" },
    signal: AbortSignal.timeout(60_000),
  });
  return Buffer.from(await answer.arrayBuffer());
}

/** Connections into pods. */
export function portsTopic(kubectl: () => Kubectl): void {
  test("port-forward carries many connections at once, each with its own bytes", async () => {
    const child = kubectl().start("port-forward", "pod/echo", ":8080");
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const [, port = ""] = /127\.0\.0\.1:(\d+) -> 8080/u.exec(String((await lines.next()).value)) ?? [];
    const bodies = Array.from({ length: connections }, (_, index) => randomBytes(64 * 1024 + index));
    const answers = await Promise.all(bodies.map((body) => echoed(port, body)));
    expect(answers.map((answer, index) => answer.equals(bodies[index] ?? Buffer.alloc(0)))).toEqual(
      Array.from({ length: connections }, () => true),
    );
    const large = randomBytes(4 * 1024 * 1024);
    expect((await echoed(port, large)).equals(large)).toBe(true);
  });
}
