import { once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { neo4jTest, startNeo4j } from "./neo4j.ts";

const { skip, timeoutMs } = await neo4jTest();

/** Bolt begins with a magic number and up to four versions that the client speaks; the server answers with one. */
const greeting = Buffer.from(`6060b01700000404${"00000000".repeat(3)}`, "hex");

it.skipIf(skip)("speaks Bolt until it is stopped", { timeout: timeoutMs }, async () => {
  const server = await startNeo4j();
  const socket = connect(server.port, "127.0.0.1");
  socket.write(greeting);
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString("hex")).toBe("00000404");
  socket.destroy();
  await server.stop();
  const refused = connect(server.port, "127.0.0.1");
  await expect(once(refused, "connect")).rejects.toThrow("ECONNREFUSED");
});
