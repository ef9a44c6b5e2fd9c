import { sign, type KeyObject } from "node:crypto";
import type { ClientHttp2Session } from "node:http2";

import {
  BowlineError,
  withDeadline,
  type Clock,
  type Logger,
  type Random,
  Backoff,
  fullJitterBackoff,
} from "@bowline/core";
import {
  decodeJoinToken,
  type JoinAccepted,
  type JoinToken,
  callMessages,
  joinCall,
  joinStatement,
} from "@bowline/protocol";

import type { PresentedCertificate, ServerDialer } from "../dial/server-dialer.ts";
import type { ClusterFacts } from "./cluster-facts.ts";
import {
  newPrivateKey,
  privateKeyOf,
  hashOfToken,
  type IdentityRecord,
  type JoinedIdentity,
  type PendingKey,
  type IdentityStore,
  publicBytesOf,
} from "./identity-record.ts";

export interface EstablishOptions {
  readonly store: IdentityStore;
  /** Undefined where the agent has joined before. */
  readonly joinToken: string | undefined;
  /** CAs to trust in place of the one that the token names. */
  readonly caPem: string | undefined;
  readonly facts: ClusterFacts;
  readonly agentVersion: string;
  readonly dialer: Pick<ServerDialer, "dial" | "presentedChain">;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** How long one attempt to join may take once the connection is there. */
const joinLimitMs = 30_000;

/**
 * The identity of this agent: as it was kept, or by joining with the token. A token that the agent has joined with before means
 * nothing new; another one is joined with, under a new key, and replaces what was kept when the server accepts it.
 */
export async function establishIdentity(options: EstablishOptions): Promise<JoinedIdentity> {
  const { store, joinToken } = options;
  if (joinToken === undefined) return requireJoined(await store.read(), store);
  const token = decodeJoinToken(joinToken);
  const tokenHash = hashOfToken(joinToken);
  const record = await store.update((current) => withKeyFor(tokenHash, current));
  const { joined, pending } = record;
  if (pending === undefined) return requireJoined(record, store);
  try {
    const { accepted, caPem } = await joinUntilAnswered({ options, joinToken, token, pending });
    const { agentId, clusterId, clusterName } = accepted;
    options.logger.info({ cluster: clusterName, agentId }, "Joined");
    const { servers } = token;
    const identity = { ...pending, agentId, clusterId, clusterName, servers, caPem };
    // Another agent of this cluster may have been faster; it has the same answer.
    const after = await store.update((current) =>
      current.pending?.tokenHash === tokenHash ? { joined: identity } : current,
    );
    return requireJoined(after, store);
  } catch (error) {
    if (joined === undefined || options.signal.aborted) throw error;
    options.logger.warn(
      { err: error },
      "The new join token was refused; going on with the identity from before",
    );
    return joined;
  }
}

/** The record as it is when the token is known, or with a key for the token. */
function withKeyFor(tokenHash: string, current: IdentityRecord): IdentityRecord {
  if (current.joined?.tokenHash === tokenHash) {
    return current.pending === undefined ? current : { joined: current.joined };
  }
  if (current.pending?.tokenHash === tokenHash) return current;
  return { ...current, pending: { privateKey: newPrivateKey(), tokenHash } };
}

function requireJoined(record: IdentityRecord | undefined, { place }: IdentityStore): JoinedIdentity {
  if (record?.joined !== undefined) return record.joined;
  throw new BowlineError(
    "InvalidArgument",
    `This agent has not joined a server yet: there is no identity in ${place}; make a join token with "bowline cluster add" and give it by --join-token-file or BOWLINE_JOIN_TOKEN.`,
  );
}

interface Joined {
  readonly accepted: JoinAccepted;
  readonly caPem: string | undefined;
}

interface Attempt {
  readonly options: EstablishOptions;
  readonly joinToken: string;
  readonly token: JoinToken;
  readonly pending: PendingKey;
}

/** Goes on for as long as nobody has refused: the server may not be up yet. */
function joinUntilAnswered(attempt: Attempt): Promise<Joined> {
  const { logger } = attempt.options;
  const onFailure = (error: BowlineError): void => logger.warn({ err: error }, "Not joined yet");
  return retryWithBackoff(() => joinAnywhere(attempt), { ...attempt.options, onFailure });
}

/** At the first server that answers. Rejects with an error that may pass, where there is one. */
async function joinAnywhere(attempt: Attempt): Promise<Joined> {
  const errors: BowlineError[] = [];
  for (const server of attempt.token.servers) {
    try {
      return await joinAt(server, attempt);
    } catch (thrown) {
      const error = BowlineError.from(thrown);
      // An agent that was refused is not accepted elsewhere: all servers have one database.
      if (error.code === "Unauthorized" || error.code === "Forbidden") throw error;
      errors.push(error);
    }
  }
  throw errors.find(({ retryable }) => retryable) ?? errors[0] ?? new BowlineError("Internal", "No server.");
}

async function joinAt(server: string, attempt: Attempt): Promise<Joined> {
  const { options, joinToken, token, pending } = attempt;
  const { dialer, facts, agentVersion, clock, signal } = options;
  const pinned = options.caPem === undefined ? await pinnedCa(server, options, token) : undefined;
  const session = await dialer.dial({ server, caPem: options.caPem ?? pinned, signal });
  // Errors of the session are those of the call, which tells them.
  session.on("error", () => {});
  const claim = { ...facts, joinToken, agentVersion, privateKey: privateKeyOf(pending.privateKey) };
  const onTimeout = (): BowlineError =>
    new BowlineError("Timeout", `${server} took the join token, but did not answer in time.`);
  try {
    const accepted = await withDeadline((limit) => joinServer(session, claim, limit), {
      clock,
      limitMs: joinLimitMs,
      signal,
      onTimeout,
    });
    return { accepted, caPem: pinned };
  } finally {
    session.destroy();
  }
}

/** The CA that the token names, found among the certificates that the server shows. */
async function pinnedCa(
  server: string,
  { dialer, signal }: EstablishOptions,
  { caFingerprint }: JoinToken,
): Promise<string | undefined> {
  if (caFingerprint === undefined) return undefined;
  const find = (chain: readonly PresentedCertificate[]) =>
    chain.find(({ fingerprint }) => fingerprint === caFingerprint);
  const trusts = (chain: readonly PresentedCertificate[]) => find(chain) !== undefined;
  const chain = await dialer.presentedChain({ server, signal, trusts });
  const pinned = find(chain);
  if (pinned !== undefined) return pinned.pem;
  throw new BowlineError(
    "CertificateUntrusted",
    `${server} shows no certificate of the CA that the join token names (${caFingerprint}); the token is for another server, or somebody is in between.`,
    { details: { shown: chain.map(({ fingerprint }) => fingerprint) } },
  );
}

interface JoinClaim {
  readonly joinToken: string;
  readonly privateKey: KeyObject;
  readonly clusterUid: string;
  readonly agentVersion: string;
  readonly kubernetesVersion: string;
}

/** Makes the call that trades a join token for an identity. Rejects with what the server refused it for. */
async function joinServer(
  session: ClientHttp2Session,
  claim: JoinClaim,
  signal: AbortSignal,
): Promise<JoinAccepted> {
  const { privateKey, ...named } = claim;
  const hello = { ...named, publicKey: publicBytesOf(privateKey) };
  const call = callMessages(session, joinCall, { signal });
  call.send({ message: { case: "hello", value: hello } });
  for await (const { message } of call.messages) {
    if (message.case === "accepted") return message.value;
    if (message.case !== "challenge") continue;
    const signature = sign(null, joinStatement(message.value.nonce, hello), privateKey);
    call.send({ message: { case: "proof", value: { signature } } });
    call.end();
  }
  throw new BowlineError("ProtocolViolation", "The server ended the call without an identity for the agent.");
}

export interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** Told of every failure that is followed by another attempt. */
  readonly onFailure: (error: BowlineError) => void;
}

/** Tries again, with growing delays, for as long as trying again may help. */
export async function retryWithBackoff<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, random, signal, onFailure } = options;
  const backoff = new Backoff(fullJitterBackoff, clock, random);
  for (;;) {
    try {
      signal.throwIfAborted();
      return await work();
    } catch (thrown) {
      const error = BowlineError.from(thrown);
      if (signal.aborted || !error.retryable) throw thrown;
      onFailure(error);
    }
    await clock.sleep(backoff.nextDelayMs(), signal);
  }
}
