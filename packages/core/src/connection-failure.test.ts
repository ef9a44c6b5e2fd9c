import { once } from "node:events";
import { connect, createServer } from "node:net";

import { expect, onTestFinished, test } from "vitest";

import { connectionFailure, listenProblem } from "./connection-failure.ts";

function withCode(code: string): Error {
  return Object.assign(new Error(code), { code });
}

test.each([
  ["CERT_HAS_EXPIRED", "expired"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "untrusted"],
  ["ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED", "clientExpired"],
  ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", "clientRefused"],
  ["HPE_INVALID_CONSTANT", "notHttp"],
  ["EAI_AGAIN", "unresolved"],
  ["ECONNRESET", "broken"],
  ["toString", "other"],
])("%s means %s", (code, failure) => {
  expect(connectionFailure(withCode(code))).toEqual({ failure, errno: code });
});

test("the deepest code counts, of the first of several attempts", () => {
  const attempts = new AggregateError([withCode("ECONNREFUSED"), withCode("ENETUNREACH")]);
  const error = Object.assign(new Error("fetch failed", { cause: attempts }), { code: "UND_ERR" });
  expect(connectionFailure(error)).toEqual({ failure: "refused", errno: "ECONNREFUSED" });
});

test("an answer that is cut off was HTTP all the same", () => {
  const error = new Error("Response does not match the HTTP/1.1 protocol (Invalid EOF state)");
  error.name = "HTTPParserError";
  expect(connectionFailure(error).failure).toBe("broken");
  error.message = "Response does not match the HTTP/1.1 protocol (Expected HTTP/)";
  expect(connectionFailure(error).failure).toBe("notHttp");
});

test("an error that goes round in circles, or is none, is something else", () => {
  const error = new Error("round");
  error.cause = error;
  expect(connectionFailure(error)).toEqual({ failure: "other", errno: "" });
  expect(connectionFailure("nothing")).toEqual({ failure: "other", errno: "" });
});

test("what Node says of a port where nothing listens", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  server.close();
  await once(server, "close");
  const [error] = await once(connect(port, "127.0.0.1"), "error");
  expect(connectionFailure(error).failure).toBe("refused");
});

/** The error of a server that is told to listen there. */
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
