import { connect } from "node:net";

import { ErrorBody, createValidator } from "@bowline/api";
import { describe, expect, test } from "vitest";

import { openTestApi } from "../api/testing/api-harness.ts";
import type { HttpLimits } from "./limits.ts";

const validateError = createValidator(ErrorBody);

async function listen(
  limits: Partial<HttpLimits>,
): Promise<{ port: number; server: { readonly closeAll: () => void } }> {
  const { app } = await openTestApi({ limits });
  const { port } = new URL(await app.listen({ port: 0, host: "127.0.0.1" }));
  return { port: Number(port), server: { closeAll: () => app.server.closeAllConnections() } };
}

/** Sends text, and resolves to everything that comes back until the server closes the connection. */
async function exchange(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.setEncoding("utf8");
  socket.write(text);
  let received = "";
  for await (const chunk of socket) received += String(chunk);
  return received;
}

function errorCodeOf(answer: string): string {
  const [, body = ""] = answer.split("\r\n\r\n");
  const result = validateError(JSON.parse(body));
  if (!result.ok) throw new Error(answer);
  return result.value.error.code;
}

describe("The server's limits", () => {
  test("headers that do not come in time end the connection", async () => {
    const { port } = await listen({ headersTimeoutMs: 50, requestTimeoutMs: 100 });
    const answer = await exchange(port, "GET /api/v1/clusters HTTP/1.1\r\nHost: x\r\nX-Slow:");
    expect(answer).toMatch(/^HTTP\/1.1 408 /u);
    expect(errorCodeOf(answer)).toBe("RequestTimeout");
  });

  test("headers that are too large are refused", async () => {
    const { port } = await listen({ maxHeaderBytes: 8_192 });
    const large = `GET /api/v1/clusters HTTP/1.1\r\nHost: x\r\nX-Large: ${"x".repeat(10_000)}\r\n\r\n`;
    const answer = await exchange(port, large);
    expect(answer).toMatch(/^HTTP\/1.1 431 /u);
    expect(errorCodeOf(answer)).toBe("HeadersTooLarge");
  });

  test.each([
    "nonsense\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n",
    "\0\0\0\0\r\n\r\n",
  ])("%j is refused as no HTTP", async (text) => {
    const { port } = await listen({});
    const answer = await exchange(port, text);
    expect(answer).toMatch(/^HTTP\/1.1 400 /u);
    expect(errorCodeOf(answer)).toBe("BadRequest");
  });

  test("more connections than allowed are not taken", async () => {
    const { port, server } = await listen({ maxConnections: 1 });
    const first = connect(port, "127.0.0.1");
    await new Promise((resolve) => first.once("connect", resolve));
    first.write("GET /api/v1/clusters HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer viewer\r\n\r\n");
    await new Promise((resolve) => first.once("data", resolve));
    const outcome = await exchange(port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n").catch(() => "");
    expect(outcome).toBe("");
    first.destroy();
    server.closeAll();
  });
});
