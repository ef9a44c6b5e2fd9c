import { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import type { DiscoveredApis } from "@bowline/kube";
import { expect, onTestFinished, test } from "vitest";

import { metricsAgents, metricsInstances } from "../objects/kinds.ts";
import { DiscoveredDefinitions } from "./definitions.ts";

function serving(...resources: readonly (typeof metricsAgents)[]): DiscoveredApis {
  const more = { singular: "", shortNames: [], categories: [], verbs: [], subresources: [] };
  return { groups: [], resources: resources.map((each) => ({ ...each, ...more })), failures: [] };
}

function isStale(apis: DiscoveredApis): DiscoveredApis {
  const error = new BowlineError("ServerError", "The server could not say.");
  return { ...apis, failures: [{ group: "example.com", version: "v1", error }] };
}

test("kinds come and go with what the server serves, and stay while it cannot say", async () => {
  const clock = new ManualClock();
  let answer: DiscoveredApis | undefined;
  const definitions = new DiscoveredDefinitions({
    discovery: {
      invalidate: () => {},
      apis: async () => {
        if (answer === undefined) throw new BowlineError("ServerError", "The server is not there.");
        return answer;
      },
    },
    resources: [metricsAgents, metricsInstances],
    clock,
  });
  onTestFinished(() => definitions.stop());
  const told: string[] = [];
  definitions.addHandler({
    add: ({ plural }) => void told.push(`+${plural}`),
    delete: ({ plural }) => void told.push(`-${plural}`),
  });
  definitions.start();
  await clock.advance(0);
  expect(definitions.state().error?.message).toBe("The server is not there.");

  answer = serving(metricsAgents);
  await clock.advance(2_000);
  await definitions.synced();
  expect(definitions.state().error).toBeUndefined();
  expect(told).toEqual(["+metricsagents"]);

  answer = serving(metricsAgents, metricsInstances);
  await clock.advance(30_000);
  answer = isStale(serving());
  await clock.advance(30_000);
  expect(told).toEqual(["+metricsagents", "+metricsinstances"]);

  answer = serving(metricsInstances);
  await clock.advance(30_000);
  expect(told).toEqual(["+metricsagents", "+metricsinstances", "-metricsagents"]);

  // A handler that comes late hears of all that is there.
  const late: string[] = [];
  definitions.addHandler({ add: ({ plural }) => void late.push(plural) });
  expect(late).toEqual(["metricsinstances"]);
});
