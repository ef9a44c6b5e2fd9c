import { once } from "node:events";
import { createServer } from "node:https";
import { connect as connectTcp, type AddressInfo, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { connect } from "node:tls";

import { expect, onTestFinished, test } from "vitest";

import { makeAuthority } from "@bowline/tls/issue";
import { SharedPort } from "./shared-port.ts";

/** Sends the first thing that is written to it, and the rest when it is told to. */
class HesitantSocket extends Duplex {
  readonly #socket: Socket;
  readonly #goOn = Promise.withResolvers<void>();
  #hasWritten = false;

  constructor(port: number) {
    super();
    this.#socket = connectTcp({ host: "127.0.0.1", port });
    this.#socket
      .on("data", (chunk: Buffer) => this.push(chunk))
      .on("error", () => {})
      .on("close", () => this.destroy());
  }

  goOn(): void {
    this.#goOn.resolve();
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    const mayGoOn = this.#hasWritten ? this.#goOn.promise : undefined;
    this.#hasWritten = true;
    void Promise.resolve(mayGoOn).then(() => this.#socket.write(chunk, done));
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

test("a client that finishes its handshake too late is not taken in, whatever it was answered", async () => {
  const told: string[] = [];
  const port = new SharedPort({
    accept: () => void told.push("accepted"),
    distrusted: () => void told.push("distrusted"),
  });
  const server = createServer({
    ...(await makeAuthority(Date.now())),
    ...port.options,
    handshakeTimeout: 50,
  });
  server.on("clientError", (_, socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  port.divert(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());

  const refused = once(server, "tlsClientError");
  const hesitant = new HesitantSocket((server.address() as AddressInfo).port);
  const client = connect({ socket: hesitant, ALPNProtocols: ["h2"], rejectUnauthorized: false });
  client.on("error", () => {});
  await refused;
  hesitant.goOn();
  await once(hesitant, "close");
  expect(told).toEqual([]);
});
