import { Token, User } from "@bowline/api";
import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";
import { Change } from "@bowline/store";

import { identity } from "../testing/access-harness.ts";
import { newTokenSecret } from "../tokens/token-secret.ts";
import { Authenticator } from "./authenticator.ts";
import { unauthorized, type Bearer } from "../tokens/bearer.ts";
import type { AuthenticationResult } from "./identity.ts";

const authorization = `Bearer ${newTokenSecret((size) => Buffer.alloc(size, 7))}`;

/** An authenticator whose looks are answered by the test, in turn. */
function setUp({ canCache = true } = {}) {
  const looks: { readonly bearer: Bearer; readonly answer: PromiseWithResolvers<AuthenticationResult> }[] =
    [];
  const authenticate = (bearer: Bearer): Promise<AuthenticationResult> => {
    const answer = Promise.withResolvers<AuthenticationResult>();
    looks.push({ bearer, answer });
    return answer.promise;
  };
  const clock = new ManualClock();
  const authenticator = new Authenticator({
    clock,
    authenticate: { token: authenticate, jwt: authenticate, session: authenticate },
    canCache: () => canCache,
    onUse: () => {},
  });
  const find = (role: "viewer" | "admin"): void => {
    const look = looks.at(-1);
    look?.answer.resolve({
      key: look.bearer.key,
      verdict: { identity: identity("editor", role) },
      user: { name: "editor", fingerprint: role },
      token: { name: "ci", id: "1", fingerprint: "same" },
      recheckAtMs: clock.now() + 1_000,
    });
  };
  return { clock, authenticator, looks, find };
}

function deleted(kind: string, name: string): Change {
  return new Change({
    revision: 1,
    type: "DELETED",
    kind,
    name,
    object_id: "1",
    generation: 1,
    desired_changed: 1,
    previous_revision: null,
    at: 0,
    body: "{}",
    previous_body: null,
  });
}

describe("what is being looked up", () => {
  test.each<[string, (authenticator: Authenticator) => void]>([
    ["changes may have been missed", (authenticator) => authenticator.forgetAll()],
    ["the User changes", (authenticator) => authenticator.changed(deleted(User.kind, "editor"))],
    ["the Token changes", (authenticator) => authenticator.changed(deleted(Token.kind, "ci"))],
  ])("is looked up again when %s meanwhile", async (_, happens) => {
    const { clock, authenticator, looks, find } = setUp();
    const found = authenticator.authenticate(authorization);
    happens(authenticator);
    find("admin");
    await clock.settle();
    expect(looks).toHaveLength(2);
    find("viewer");
    expect(await found).toMatchObject({ role: "viewer" });
    expect(authenticator.authenticate(authorization)).toMatchObject({ role: "viewer" });
  });

  test("is not when others change", async () => {
    const { authenticator, looks, find } = setUp();
    const found = authenticator.authenticate(authorization);
    authenticator.changed(deleted(User.kind, "viewer"));
    authenticator.changed(deleted(Token.kind, "other"));
    find("admin");
    expect(await found).toMatchObject({ role: "admin" });
    expect(looks).toHaveLength(1);
  });

  test("is refused once and not for a while when something changes meanwhile: it may exist now", async () => {
    const { authenticator, looks, find } = setUp();
    const refused = authenticator.authenticate(authorization);
    authenticator.changed(deleted(Token.kind, "other"));
    looks[0]?.answer.reject(unauthorized("unknown"));
    await expect(refused).rejects.toThrow("unknown");
    const found = authenticator.authenticate(authorization);
    find("viewer");
    expect(await found).toMatchObject({ role: "viewer" });
  });
});

test("what a second look finds otherwise ends what stands on the first", async () => {
  const { clock, authenticator, find } = setUp();
  const first = authenticator.authenticate(authorization);
  find("admin");
  const ended = authenticator.ended(await first);
  await clock.advance(1_000);
  const second = authenticator.authenticate(authorization);
  expect(ended.aborted).toBe(false);
  find("viewer");
  expect(authenticator.ended(await second).aborted).toBe(false);
  expect(ended.aborted).toBe(true);
});

describe("while the database is away, so that nobody knows what has changed", () => {
  test("what lasts ends with a word that does not send people to sign in", async () => {
    const { authenticator, find } = setUp();
    const found = authenticator.authenticate(authorization);
    find("viewer");
    const ended = authenticator.ended(await found);
    authenticator.forgetAll();
    expect(ended.reason).toMatchObject({ code: "DatabaseUnavailable" });
  });

  test("nothing begins that would last", async () => {
    const { authenticator, find } = setUp({ canCache: false });
    const found = authenticator.authenticate(authorization);
    find("viewer");
    expect(authenticator.ended(await found).reason).toMatchObject({ code: "DatabaseUnavailable" });
  });
});
