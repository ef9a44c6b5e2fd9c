import { createReadStream } from "node:fs";
import { pathToFileURL } from "node:url";

import { BowlineError, ownFile, readOwnFile } from "@bowline/core";
import type { FastifyReply, FastifyRequest } from "fastify";

import type { ApiPlugin } from "../api/http-api.ts";
import { newNonce, pageHeaders } from "./page-headers.ts";
import { PageFiles } from "./page-files.ts";

export interface ConsoleRoutesOptions {
  /** The folder of the built page; that of this repository when not given. */
  readonly folder?: string | undefined;
  /** How long browsers are to use nothing but TLS for this host; 0 to say nothing. */
  readonly hstsMs?: number;
}

/** Where `npm run build:web` puts the page. */
const builtPage = ownFile("console/", new URL("../../../web/dist/", import.meta.url));

const open = { config: { open: true, isPageFile: true } } as const;
const assets = "assets/";
/** The page tells by itself what is new, and its nonce is for one answer. */
const notKept = "no-store";
/** A file of another content has another name. */
const keptForEver = "public, max-age=31536000, immutable";

/**
 * `/ui/`: the console. The page and its files are for everybody, since there is nothing in them: what it shows, it asks
 * the API for, with the session of whoever looks.
 */
export function consoleRoutes({ folder, hstsMs = 0 }: ConsoleRoutesOptions = {}): ApiPlugin {
  const files = new PageFiles(folder === undefined ? builtPage : pathToFileURL(`${folder}/`));
  return (app) => {
    app.addHook("onRequest", (request, reply, done) => {
      if (hstsMs > 0 && request.protocol === "https")
        reply.header("strict-transport-security", `max-age=${Math.floor(hstsMs / 1_000)}`);
      done();
    });
    app.get("/", open, (request, reply) => {
      if (!wantsPage(request)) throw nothingAt("/");
      return reply.header("cache-control", notKept).redirect("/ui/", 302);
    });
    app.get("/ui", open, (_, reply) => reply.redirect("/ui/", 308));
    app.get<{ Params: { "*": string } }>("/ui/*", open, async (request, reply) => {
      const path = request.params["*"];
      if (path.startsWith(assets)) return sendFile(files, path.slice(assets.length), request, reply);
      if (!wantsPage(request)) throw nothingAt(`/ui/${path.slice(0, maxShownLength)}`);
      return sendShell(files, reply);
    });
  };
}

const maxShownLength = 200;

/** Whatever is below `/ui/` may be a place of the page, which it finds itself; programs are told that there is nothing. */
function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.toLowerCase().includes("text/html") === true;
}

async function sendShell(files: PageFiles, reply: FastifyReply): Promise<FastifyReply> {
  const nonce = newNonce();
  const shell = await files.shell(nonce);
  return reply
    .code(shell === undefined ? 503 : 200)
    .headers({ ...pageHeaders(nonce), "cache-control": notKept, "content-type": "text/html; charset=utf-8" })
    .send(shell ?? notBuilt);
}

async function sendFile(
  files: PageFiles,
  name: string,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const file = await files.find(name, headers["accept-encoding"] ?? "");
  if (file === undefined) throw nothingAt(`/ui/${assets}${name.slice(0, maxShownLength)}`);
  const { url, size, mediaType, encoding, etag } = file;
  reply.headers({ ...pageHeaders(), "cache-control": keptForEver, etag, vary: "Accept-Encoding" });
  if (headers["if-none-match"]?.includes(etag) === true) return reply.code(304).send();
  reply.headers({ "content-type": mediaType, "content-length": size });
  if (encoding !== undefined) reply.header("content-encoding", encoding);
  return reply.send(url.protocol === "file:" ? createReadStream(url) : await readOwnFile(url));
}

function nothingAt(path: string): BowlineError {
  return new BowlineError("NotFound", `There is nothing at «${path}»; /openapi.json lists every address.`);
}

const notBuilt = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8" /><title>Bowline</title></head>
  <body>
    <h1>The console is not built yet</h1>
    <p>Build it with <code>npm run build:web</code>, then load this page again.</p>
  </body>
</html>
`;
