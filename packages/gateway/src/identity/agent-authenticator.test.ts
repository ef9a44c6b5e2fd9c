import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";

import { Gate } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { signAgentToken } from "@bowline/protocol";
import type { Agent } from "@bowline/store";
import { SignJWT } from "jose";
import { beforeEach, describe, expect, test } from "vitest";

import { AgentAuthenticator, type KnownAgent, authenticateInTurn } from "./agent-authenticator.ts";
import { SeenTokens } from "./agent-token.ts";

const agentId = "01930a5e-7c00-7000-8000-000000000001";

let clock: ManualClock;
let privateKey: KeyObject;
let agent: Agent;
let authenticator: AgentAuthenticator;

beforeEach(() => {
  clock = new ManualClock();
  const pair = generateKeyPairSync("ed25519");
  privateKey = pair.privateKey;
  agent = {
    id: agentId,
    clusterId: "c1",
    clusterName: "edge",
    publicKey: pair.publicKey.export({ format: "jwk" }).x ?? "",
    clusterUid: "u1",
    generation: 1,
  };
  const find = (id: string) => Promise.resolve(id === agentId ? agent : undefined);
  authenticator = new AgentAuthenticator({ agents: { find }, clock });
});

const token = (nowMs = clock.now(), key = privateKey, id = agentId) =>
  signAgentToken({ agentId: id, privateKey: key, nowMs });
const authenticate = (text: string) => authenticator.authenticate(`Bearer ${text}`);

/** A token whose claims an agent would not choose. */
async function forged(claims: Record<string, unknown>, header = { alg: "EdDSA" }): Promise<string> {
  const iat = Math.floor(clock.now() / 1000);
  const good = { iss: agentId, sub: agentId, aud: "bowline", jti: "j", iat, exp: iat + 60 };
  return new SignJWT({ ...good, ...claims }).setProtectedHeader(header).sign(privateKey);
}

/** A token that the agent has signed, with a header that it would not choose. */
function withHeader(header: object): string {
  const [, claims = ""] = token().split(".");
  const statement = `${Buffer.from(JSON.stringify(header)).toString("base64url")}.${claims}`;
  return `${statement}.${sign(null, Buffer.from(statement), privateKey).toString("base64url")}`;
}

describe("an agent", () => {
  test("is who has signed the token", async () => {
    expect(await authenticate(token())).toEqual(agent);
  });

  test.each<[string, () => string | Promise<string>, string]>([
    ["nothing", () => "", "needs a token that the agent has signed"],
    ["nonsense", () => "a.b.c", "is damaged"],
    ["an unknown id", () => token(clock.now(), privateKey, "somebody"), "does not know this agent"],
    [
      "the key of another",
      () => token(clock.now(), generateKeyPairSync("ed25519").privateKey),
      "not signed with the key that the agent joined with",
    ],
    ["another audience", () => forged({ aud: "other" }), "not one that an agent signs for this server"],
    ["another issuer", () => forged({ iss: "other" }), "not one that an agent signs for this server"],
    ["no id of the token", () => forged({ jti: "" }), "not one that an agent signs for this server"],
    ["a token without an end", () => forged({ exp: undefined }), "has to end within 60 seconds"],
    [
      "a token for an hour",
      () => forged({ exp: Math.floor(clock.now() / 1000) + 3_600 }),
      "within 60 seconds",
    ],
    ["another algorithm", () => withHeader({ alg: "ES256" }), "is signed with EdDSA"],
    ["what has to be understood", () => withHeader({ alg: "EdDSA", crit: ["b64"] }), "is signed with EdDSA"],
    ["a header that is none", () => token().replace(/^[^.]+/u, "bm9uZQ"), "is damaged"],
    [
      "other claims than were signed",
      async () => (await forged({})).replace(/\.[^.]+\./u, `.${token().split(".")[1]}.`),
      "not signed with the key",
    ],
    [
      "no signature",
      async () => (await forged({})).replace(/[^.]+$/u, "").replace(/^[^.]+/u, "eyJhbGciOiJub25lIn0"),
      "needs a token that the agent has signed|is signed with EdDSA",
    ],
  ])("is refused with %s", async (_, make, problem) => {
    await expect(authenticate(await make())).rejects.toMatchObject({
      code: "Unauthorized",
      message: expect.stringMatching(problem),
    });
  });

  test("shows a token only once", async () => {
    const once = token();
    await authenticate(once);
    await expect(authenticate(once)).rejects.toMatchObject({
      message: expect.stringContaining("used before"),
      details: { agent: agentId, cluster: "edge" },
    });
    await authenticate(token());
  });

  test("shows a token only once, up to its very end", async () => {
    const once = token();
    await authenticate(once);
    await clock.advance(119_999);
    await expect(authenticate(once)).rejects.toThrow("used before");
    await clock.advance(1);
    await expect(authenticate(once)).rejects.toThrow("The clock of the agent is 120 s behind");
  });

  test.each([-115_000, 59_000])("may have a clock that is off by %i ms", async (offMs) => {
    await expect(authenticate(token(clock.now() + offMs))).resolves.toBeDefined();
  });

  test.each([
    [-130_000, "The clock of the agent is 130 s behind the server's, which says 20"],
    [600_000, "The clock of the agent is 600 s ahead of the server's"],
  ])("whose clock is off by %i ms is told so", async (offMs, problem) => {
    await expect(authenticate(token(clock.now() + offMs))).rejects.toThrow(problem);
  });

  test("is told when it was revoked, and when its Cluster is gone", async () => {
    agent = { ...agent, revokedAtMs: clock.now() };
    await expect(authenticate(token())).rejects.toMatchObject({
      code: "Forbidden",
      message: expect.stringContaining("was revoked at"),
    });
    agent = { ...agent, clusterName: undefined };
    await expect(authenticate(token())).rejects.toThrow("The Cluster that this agent joined was deleted");
  });
});

describe("SeenTokens", () => {
  test("forgets what has ended, and is never larger than its limit", () => {
    const seen = new SeenTokens();
    expect(seen.use("a", 10, 0)).toBe(true);
    expect(seen.use("a", 10, 9)).toBe(false);
    expect(seen.use("b", 20, 10)).toBe(true);
    expect(seen.size).toBe(1);
    for (let count = 0; count < 100_010; count++) seen.use(`t${count}`, 1_000, 11);
    expect(seen.size).toBe(100_000);
  });
});

test("who has left before its turn is not looked up any more", async () => {
  const agent: KnownAgent = {
    id: "a1",
    clusterId: "c1",
    clusterName: "edge",
    publicKey: "",
    clusterUid: "u1",
    generation: 1,
  };
  const lookedUp: (string | undefined)[] = [];
  const found = Promise.withResolvers<KnownAgent>();
  const turns = {
    gate: new Gate({ concurrency: 1, maxWaiting: 10 }),
    authenticator: {
      authenticate: (authorization: string | undefined) => {
        lookedUp.push(authorization);
        return found.promise;
      },
    },
  };
  let hasLeft = false;
  const first = authenticateInTurn(turns, { authorization: "first", isGone: () => false });
  const second = authenticateInTurn(turns, { authorization: "second", isGone: () => hasLeft });
  const third = authenticateInTurn(turns, { authorization: "third", isGone: () => false });
  hasLeft = true;
  found.resolve(agent);
  await expect(second).rejects.toMatchObject({ code: "Cancelled" });
  expect(await Promise.all([first, third])).toEqual([agent, agent]);
  expect(lookedUp).toEqual(["first", "third"]);
});
