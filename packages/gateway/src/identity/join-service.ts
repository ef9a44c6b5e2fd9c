import { verify, hash } from "node:crypto";

import { uuid } from "@bowline/api";
import {
  BowlineError,
  type Clock,
  type Logger,
  type RandomBytes,
  type Gate,
  type ErrorCode,
} from "@bowline/core";
import {
  answerMessages,
  decodeJoinToken,
  joinCall,
  joinStatement,
  type JoinHello,
  type JoinRequest,
  type MessageCall,
} from "@bowline/protocol";
import type { Agent, AgentStore, JoinAttempt, JoinOutcome, JoinRefusal } from "@bowline/store";

import { awaitMessage, type AgentCall } from "../listener/agent-call.ts";
import { allowedRecord, type AgentAudit, type Caller } from "./agent-audit.ts";
import { publicKeyBytes, publicKeyOf } from "./agent-token.ts";

const secretBytes = 32;

export function newJoinSecret(randomBytes: RandomBytes): string {
  return Buffer.from(randomBytes(secretBytes)).toString("base64url");
}

/** The hash that is kept of the secret. It has too many random bits to be guessed: one round without salt is enough. */
export function joinSecretHash(secret: string): string {
  return hash("sha256", secret, "hex");
}

export interface JoinServiceOptions {
  readonly agents: Pick<AgentStore, "join">;
  readonly audit: AgentAudit;
  /** Lets a few decide at once. */
  readonly gate: Gate;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly logger: Logger;
  /** Keys that were replaced by the one that joined work no more. */
  readonly onJoined: (cluster: NamedCluster) => void;
  /** An agent may not join as a Cluster that there is. */
  readonly onRefused?: (cluster: NamedCluster, message: string) => void;
}

export interface NamedCluster {
  readonly id: string;
  readonly name: string;
}

type JoinMessages = MessageCall<Parameters<typeof joinCall.response.encode>[0], JoinRequest>;

/** For each step of an agent that joins. */
const stepLimitMs = 10_000;
const nonceBytes = 32;
const uidPattern = new RegExp(uuid.pattern, "u");

/** Makes agents known: a join token for an identity. */
export class JoinService {
  readonly #options: JoinServiceOptions;

  constructor(options: JoinServiceOptions) {
    this.#options = options;
  }

  readonly serve = async ({ stream, connection, requestId }: AgentCall): Promise<void> => {
    const { audit, logger } = this.#options;
    const call = answerMessages(stream, joinCall);
    const caller = { address: connection.address, requestId };
    try {
      const { agent, cluster } = await this.#join(call, caller);
      const accepted = { agentId: agent.id, clusterId: cluster.id, clusterName: cluster.name };
      call.send({ message: { case: "accepted", value: accepted } });
      call.end();
      logger.info({ ...accepted, requestId, address: caller.address }, "An agent has joined");
    } catch (thrown) {
      const error = BowlineError.from(thrown);
      audit.refused("join", caller, error);
      logger.info({ err: error, requestId, address: caller.address }, "An agent could not join");
      call.fail(error);
    }
  };

  async #join(call: JoinMessages, caller: Caller): Promise<JoinOutcome & { readonly agent: Agent }> {
    const { gate, agents, onJoined, onRefused } = this.#options;
    const hello = await this.#hello(call);
    const attempt = attemptOf(hello);
    await this.#requireKey(call, hello);
    const outcome = await gate.pass(() => agents.join(attempt, (decided) => recordOf(decided, caller)));
    if (outcome.refusal !== undefined) {
      const refusal = joinRefusal(outcome);
      if (outcome.cluster !== undefined) onRefused?.(outcome.cluster, refusal.message);
      throw refusal;
    }
    onJoined(outcome.cluster);
    return outcome;
  }

  async #hello(call: JoinMessages): Promise<JoinHello> {
    const { message } = await this.#next(call);
    if (message.case === "hello") return message.value;
    throw new BowlineError("ProtocolViolation", "An agent that joins says hello first.");
  }

  /** The agent has the private key: it signs what nobody could know before. */
  async #requireKey(call: JoinMessages, hello: JoinHello): Promise<void> {
    const nonce = Buffer.from(this.#options.randomBytes(nonceBytes));
    call.send({ message: { case: "challenge", value: { nonce } } });
    const { message } = await this.#next(call);
    const signature = message.case === "proof" ? message.value.signature : new Uint8Array();
    const key = publicKeyOf(Buffer.from(hello.publicKey).toString("base64url"));
    if (verify(null, joinStatement(nonce, hello), key, signature)) return;
    throw new BowlineError(
      "Unauthorized",
      "The agent did not prove that the key it wants to join with is its own.",
    );
  }

  #next(call: JoinMessages): Promise<JoinRequest> {
    return awaitMessage(call, { clock: this.#options.clock, limitMs: stepLimitMs });
  }
}

function attemptOf({ joinToken, publicKey, clusterUid }: JoinHello): JoinAttempt {
  const { secret } = decodeJoinToken(joinToken);
  if (publicKey.length !== publicKeyBytes) {
    throw new BowlineError("InvalidArgument", `The public key has to be ${publicKeyBytes} bytes of Ed25519.`);
  }
  if (!uidPattern.test(clusterUid)) {
    throw new BowlineError(
      "InvalidArgument",
      "The UID of the cluster has to be that of its namespace kube-system.",
    );
  }
  return {
    tokenHash: joinSecretHash(secret),
    publicKey: Buffer.from(publicKey).toString("base64url"),
    clusterUid,
  };
}

/** The record that is written together with an agent that joins. Refusals can come in masses, and are counted elsewhere. */
function recordOf(outcome: JoinOutcome, caller: Caller) {
  if (outcome.refusal !== undefined) return undefined;
  const { id, generation, clusterUid } = outcome.agent;
  const message = `Agent ${id} joined with key ${generation} from the cluster with UID ${clusterUid}.`;
  return allowedRecord("join", caller, { cluster: outcome.cluster.name, message });
}

const refusals: Readonly<Record<JoinRefusal, readonly [ErrorCode, string]>> = {
  "unknown-token": [
    "Unauthorized",
    "The server does not know this join token, or its Cluster is gone; make a new one with `bowline cluster rotate`.",
  ],
  "used-token": [
    "Forbidden",
    "The join token was used before, with another key or from another cluster. If that was not you, revoke the agent; make a new token with `bowline cluster rotate`.",
  ],
  "expired-token": [
    "Unauthorized",
    "The join token has run out or was revoked; make a new one with `bowline cluster rotate`.",
  ],
  "other-cluster": [
    "Forbidden",
    "An agent of another Kubernetes cluster has joined as this Cluster. If it is gone, revoke it with `bowline cluster revoke`; else make a Cluster of its own for this one.",
  ],
  "used-key": [
    "Forbidden",
    "The key belongs to another agent, or was revoked; delete the Secret that the agent keeps it in, so that it makes a new one.",
  ],
};

/** Why an agent may not join, as it is told. */
function joinRefusal({ refusal, cluster }: JoinOutcome & { readonly refusal: JoinRefusal }): BowlineError {
  const [code, message] = refusals[refusal];
  return new BowlineError(code, message, { details: { reason: refusal, cluster: cluster?.name } });
}
