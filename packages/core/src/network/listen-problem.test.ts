import { once } from "node:events";
import { createServer } from "node:net";

import { expect, onTestFinished, test } from "vitest";

import { listenProblem } from "./listen-problem.ts";

/** What a server that is told to listen there says. */
async function failure(host: string, port: number): Promise<unknown> {
  const server = createServer();
  const [error]: unknown[] = await once(server.listen(port, host), "error");
  return error;
}

test("a port that is taken: who has it, and what to do", async () => {
  const first = createServer().listen(0, "127.0.0.1");
  await once(first, "listening");
  onTestFinished(() => void first.close());
  const address = first.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  expect(listenProblem(await failure("127.0.0.1", port), "--listen")).toBe(
    "another program listens there; stop it, or choose another address with --listen",
  );
});

test("an address of another machine", async () => {
  expect(listenProblem(await failure("192.0.2.1", 0), "--health-listen")).toBe(
    "this machine does not have that address; choose another with --health-listen",
  );
});

test("what nobody has foreseen is told as it is", () => {
  expect(listenProblem(new Error("too many sockets"), "--listen")).toBe(
    "too many sockets; choose another address with --listen",
  );
});
