import type { Client } from "@bowline/client";
import { BowlineError } from "@bowline/core";
import { expect, test } from "vitest";

import { fakeContext } from "../../testing/fake-context.ts";
import { askAboutNodes } from "./ask-clusters.ts";

const frame = {
  asOf: "2026-01-01T00:00:00.000Z",
  ageMs: 0,
  clusters: ["east", "west"],
  withheldClusters: 0,
  withheld: 0,
  truncated: false,
  notObserved: [],
};
const db = { kind: "Secret", namespace: "shop", name: "db" };
const hit = (cluster: string, namespace = "shop") => ({ node: { ...db, namespace, cluster } });

/** Two clusters have it, and a third has one of its name elsewhere. */
const askGraph = (async (question: string, { cluster }: { cluster?: string }) => {
  const hits = [hit("west"), hit("east"), hit("north", "other")];
  if (question === "search") return { ...frame, data: { total: 3, hits } };
  if (cluster === undefined)
    throw new BowlineError("InvalidArgument", "There is one in several clusters: east, west.");
  return { ...frame, data: { found: true, total: 0, users: [], target: { ...db, cluster } } };
}) as unknown as Client["askGraph"];

async function ask(output: "table" | "name" | "json", cluster?: string): Promise<string> {
  const context = fakeContext({ client: { askGraph } });
  const options = { output, headers: true, ...(cluster === undefined ? {} : { cluster }) };
  const question = {
    name: "uses",
    query: {},
    table: ({ target }) => `table of ${target !== undefined && "cluster" in target ? target.cluster : ""}\n`,
    nodes: ({ target }) => (target === undefined ? [] : [target]),
    whenNone: () => "",
  } as const satisfies Parameters<typeof askAboutNodes<"uses">>[1];
  await askAboutNodes<"uses">(context, question, [db], options);
  return context.terminal.written;
}

test("where several clusters have it, each is asked in turn, unless one was named", async () => {
  expect(await ask("table")).toBe("table of east\n\ntable of west\n");
  expect(await ask("name")).toBe("secret/shop/db\nsecret/shop/db\n");
  expect(await ask("table", "west")).toBe("table of west\n");
});

test("programs are told to name one: they expect one document", async () => {
  await expect(ask("json")).rejects.toThrow("in several clusters: east, west");
});
