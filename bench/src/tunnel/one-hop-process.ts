/**
 * The measure: a plain reverse proxy in Node with one hop, TLS towards clients with the certificate of the server that
 * it is compared to, and connections that are kept on both sides. `one-hop-process.ts IDENTITY_FILE BACKEND`
 */
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { Agent as TlsAgent, createServer } from "node:https";

import { answerCommands } from "../measure-process.ts";
import { listen } from "./listen.ts";
import type { Target } from "./target.ts";

const [identityFile = "", backendJson = ""] = process.argv.slice(2);
const backend: Target = JSON.parse(backendJson);
const identity = readFileSync(identityFile, "utf8");
const isPlain = backend.ca === undefined;
const agent = isPlain ? new Agent({ keepAlive: true }) : new TlsAgent({ keepAlive: true, ca: backend.ca });
const authorization = backend.token === undefined ? {} : { authorization: `Bearer ${backend.token}` };

const server = createServer({ cert: identity, key: identity }, (incoming, outgoing) => {
  const forwarded = request({
    protocol: isPlain ? "http:" : "https:",
    host: "127.0.0.1",
    port: backend.port,
    method: incoming.method,
    path: incoming.url,
    headers: { ...incoming.headers, ...authorization },
    agent,
  });
  forwarded.on("response", (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    answer.pipe(outgoing);
  });
  forwarded.on("error", () => outgoing.destroy());
  outgoing.on("close", () => {
    if (!outgoing.writableFinished) forwarded.destroy();
  });
  incoming.pipe(forwarded);
});

answerCommands({ port: () => listen(server) });
