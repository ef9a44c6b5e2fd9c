import { createHash } from "node:crypto";

import { LruMap } from "@bowline/core";
import { Agent, type Dispatcher } from "undici";

import { authorizationOf, type GitCredential } from "../model/credential.ts";
import { GitError } from "../model/git-error.ts";
import { normalisedAddress, type RepositoryAddress } from "../model/repository-url.ts";
import { connectionError, statusError } from "./http-failure.ts";
import { PacketReader, type Packet } from "./packet-reader.ts";
import {
  AdvertisementReader,
  cutOff,
  lsRefsRequest,
  LsRefsReader,
  type Advertisement,
} from "./smart-http.ts";
import type { GitRef, RefListOptions } from "./ref-list.ts";

export interface HttpRefsRequest {
  readonly address: RepositoryAddress;
  readonly credential: GitCredential | undefined;
  readonly prefixes: readonly string[];
  readonly maxRefs: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

interface Exchange<T> {
  readonly path: string;
  readonly contentType: string;
  readonly body?: string;
  readonly reader: { read(packet: Packet): void; end(): T };
}

/** As many sets of certificates have sockets of their own, and as many repositories are known to speak protocol v2. */
const maxAgents = 64;
const maxKnownServers = 10_000;
const connectionsPerHost = 8;
const connectTimeoutMs = 10_000;
const silenceMs = 15_000;
/** Polls are a minute apart: sockets that wait for longer were closed by most servers anyway. */
const idleSocketMs = 65_000;

/**
 * Asks git servers for their refs over HTTP, without the git command: 1,000 repositories a minute then cost a hundredth
 * of a core. A repository that speaks protocol v2 is asked once how, and from then on with a single request.
 */
export class HttpRefs {
  readonly #agents = new LruMap<string, Agent>(maxAgents, (agent) => void agent.close());
  /** Object formats of repositories that speak protocol v2. */
  readonly #formats = new LruMap<string, string>(maxKnownServers);

  async list(request: HttpRefsRequest): Promise<GitRef[]> {
    const key = `${normalisedAddress(request.address)} ${request.credential?.fingerprint ?? ""}`;
    const known = this.#formats.get(key);
    if (known !== undefined) {
      try {
        return await this.#lsRefs(request, known);
      } catch (error) {
        this.#formats.delete(key);
        // Another server may stand there by now. All else is an answer.
        if (!(error instanceof GitError) || !["NotGit", "ResponseInvalid"].includes(error.code)) throw error;
      }
    }
    const advertisement = await this.#advertisement(request);
    if (advertisement.version === 0) return [...advertisement.refs];
    const refs = await this.#lsRefs(request, advertisement.objectFormat);
    this.#formats.set(key, advertisement.objectFormat);
    return refs;
  }

  async close(): Promise<void> {
    const agents = [...this.#agents.values()];
    this.#agents.clear();
    await Promise.all(agents.map((agent) => agent.destroy()));
  }

  #advertisement(request: HttpRefsRequest): Promise<Advertisement> {
    return this.#exchange(request, {
      path: "/info/refs?service=git-upload-pack",
      contentType: "application/x-git-upload-pack-advertisement",
      reader: new AdvertisementReader(listOptions(request)),
    });
  }

  #lsRefs(request: HttpRefsRequest, objectFormat: string): Promise<GitRef[]> {
    return this.#exchange(request, {
      path: "/git-upload-pack",
      contentType: "application/x-git-upload-pack-result",
      body: lsRefsRequest(request.prefixes, objectFormat),
      reader: new LsRefsReader(listOptions(request)),
    });
  }

  async #exchange<T>(request: HttpRefsRequest, { path, contentType, body, reader }: Exchange<T>): Promise<T> {
    const { address, credential, signal } = request;
    const url = new URL(address.url);
    const authorization = authorizationOf(credential);
    try {
      const response = await this.#agent(credential).request({
        origin: url.origin,
        path: `${url.pathname.replace(/\/$/u, "")}${path}`,
        method: body === undefined ? "GET" : "POST",
        headers: {
          accept: contentType,
          "user-agent": "git/bowline",
          "git-protocol": "version=2",
          ...(body === undefined ? {} : { "content-type": "application/x-git-upload-pack-request" }),
          ...(authorization === undefined ? {} : { authorization }),
        },
        body: body ?? null,
        signal,
      });
      await checkHead(response, request, contentType);
      return await readBody(response, request, reader);
    } catch (error) {
      throw connectionError(error, request);
    }
  }

  #agent(credential: GitCredential | undefined): Agent {
    const { caPem, clientCert, clientKey } = credential ?? {};
    const key = createHash("sha256")
      .update(JSON.stringify([caPem, clientCert, clientKey]))
      .digest("hex");
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    const agent = new Agent({
      connections: connectionsPerHost,
      headersTimeout: silenceMs,
      bodyTimeout: silenceMs,
      keepAliveTimeout: idleSocketMs,
      connect: {
        timeout: connectTimeoutMs,
        ...(caPem === undefined ? {} : { ca: caPem }),
        ...(clientCert === undefined || clientKey === undefined ? {} : { cert: clientCert, key: clientKey }),
      },
    });
    this.#agents.set(key, agent);
    return agent;
  }
}

function listOptions({ address, prefixes, maxRefs }: HttpRefsRequest): RefListOptions {
  return { url: address.url, prefixes, maxRefs };
}

async function checkHead(
  response: Dispatcher.ResponseData,
  request: HttpRefsRequest,
  contentType: string,
): Promise<void> {
  const { statusCode, headers, body } = response;
  if (statusCode === 200 && headers["content-type"] === contentType) return;
  // Read to its end where it is short, so that the socket can be used again.
  await body.dump({ limit: 64 * 1024, signal: request.signal });
  throw statusError({ status: statusCode, headers }, request);
}

async function readBody<T>(
  { body }: Dispatcher.ResponseData,
  { address, maxBytes }: HttpRefsRequest,
  reader: Exchange<T>["reader"],
): Promise<T> {
  const packets = new PacketReader();
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new GitError(
        "TooLarge",
        `The list of branches and tags of ${address.url} has more than ${maxBytes} bytes.`,
        {
          details: { limit: maxBytes },
        },
      );
    }
    for (const packet of packets.push(chunk)) reader.read(packet);
  }
  if (!packets.isBetweenPackets) throw cutOff(address.url);
  return reader.end();
}
