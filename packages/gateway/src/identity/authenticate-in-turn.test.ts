import { expect, test } from "vitest";

import { Gate } from "@bowline/core";
import type { KnownAgent } from "./agent-authenticator.ts";
import { authenticateInTurn } from "./authenticate-in-turn.ts";

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
