import { AccessGrant, GraphQuestion, User, type SpecOf } from "@bowline/api";
import { createLogger, Metrics } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import type { Store } from "@bowline/store";
import { openTestStore } from "@bowline/store/testing";
import { expect, onTestFinished, test } from "vitest";

import { objectController } from "../controllers/object-controller.ts";
import { startControllers } from "../controllers/start-controllers.ts";
import { ClusterGraphs } from "../graph/cluster-graphs.ts";
import { GraphQuestions } from "../graph/graph-questions.ts";
import { factsOf, ToldCluster } from "../graph/testing/told-cluster.ts";
import { GrantCache } from "../proxy/admission/grant-cache.ts";
import { GraphRevisions } from "./graph-revisions.ts";
import type { WebhookCall } from "./post-webhook.ts";
import { QuestionReconciler } from "./question-reconciler.ts";

const lookAgainMs = 10_000;
const metadata = (name: string) => ({ name, labels: {}, annotations: {} });
const webhook = { url: "https://alerts.example.com/bowline", secret: "sixteen-characters" };
const container = { kind: "Container", namespace: "shop", name: "web/containers/app" };
const service = factsOf("Service", "s1", {
  name: "web",
  properties: { type: "LoadBalancer" },
  edges: [
    { type: "ROUTES_TO", from: 0, to: { kind: "Pod", namespace: "shop", name: "web" }, at: "/endpoints/0" },
  ],
});

/** A pod behind the Service that reads Secrets. */
function pod(...secrets: readonly string[]) {
  return factsOf("Pod", "u1", {
    name: "web",
    parts: [{ node: container, properties: {} }],
    edges: [
      { type: "HAS_CONTAINER", from: 0, to: 1, at: "/spec/containers/0" },
      ...secrets.map((name, index) => ({
        type: "USES_SECRET" as const,
        from: 1,
        to: { kind: "Secret", namespace: "shop", name },
        at: `/spec/containers/0/env/${index}`,
      })),
    ],
  });
}

/** A cluster that is asked about by an operator, who may see all of it, with controllers on a clock that stands still. */
async function setup(spec: Partial<SpecOf<typeof GraphQuestion>> = {}) {
  const clock = new ManualClock(Date.UTC(2026, 10, 16));
  const store = await openTestStore({ type: "sqlite", file: ":memory:" });
  const east = await ToldCluster.create(store, "east");
  await store.objects.create(User, {
    metadata: metadata("operator"),
    spec: { role: "editor", groups: [], disabled: false },
  });
  await store.objects.create(AccessGrant, {
    metadata: metadata("all"),
    spec: { subjects: [{ user: "operator" }], clusters: { names: ["east"] }, kubernetes: { groups: [] } },
  });
  const grants = new GrantCache({ store, clock, random: () => 0 });
  await grants.start();
  const graphs = new ClusterGraphs({ source: store.graph, clock, limits: { freshMs: 0 } });
  const calls: WebhookCall[] = [];
  const answers: Error[] = [];
  const controller = objectController({
    kind: GraphQuestion,
    reconciler: ({ store: { objects, graph }, random }) =>
      new QuestionReconciler({
        objects,
        questions: new GraphQuestions({ graphs, history: store.graph, grants, clock }),
        revisions: new GraphRevisions({ source: graph, grants, clock, freshMs: 0 }),
        people: { identityOf: (person) => identityOf(store, person.user) },
        post: async (call) => {
          calls.push(call);
          const failure = answers.shift();
          if (failure !== undefined) throw failure;
        },
        random,
        lookAgainMs,
      }),
  });
  const logger = createLogger({ name: "test", level: "fatal", destination: { write: () => {} } });
  const metrics = new Metrics({ version: "1", revision: "1" });
  const controllers = startControllers({
    store,
    clock,
    random: () => 0,
    logger,
    metrics,
    owner: "one",
    controllers: [controller],
  });
  onTestFinished(async () => {
    await controllers.stop();
    graphs.close();
    await grants.close();
  });
  await east.tell([service, pod("db")]);
  await store.objects.create(
    GraphQuestion,
    { metadata: metadata("exposed"), spec: { question: "exposure", parameters: {}, webhook, ...spec } },
    { author: { user: "operator", method: "token", groups: [], role: "admin" } },
  );
  const question = async () => (await store.objects.get(GraphQuestion, "exposed"))?.status;
  const condition = async (type: string) => (await question())?.conditions.find((each) => each.type === type);
  const events = async () => (await store.events.list({ kind: "GraphQuestion" })).items;
  await expect.poll(question).toMatchObject({ answer: { count: 1 } });
  return { clock, store, east, grants, calls, answers, question, condition, events };
}

async function identityOf(store: Store, user: string) {
  const found = await store.objects.get(User, user);
  return found === undefined || found.spec.disabled
    ? undefined
    : { user, role: found.spec.role, groups: found.spec.groups, method: "token" as const };
}

test("a new path from an exposed Service to a Secret is an event, and a call of the webhook", async () => {
  const { clock, east, calls, question, events, condition } = await setup();
  expect(await events()).toEqual([]);
  await east.tell([pod("db", "keys")]);
  await clock.armed(lookAgainMs);
  await clock.advance(lookAgainMs);
  await expect.poll(() => calls).toHaveLength(1);
  const came = "Secret east/shop/keys can be read from behind Service east/shop/web (medium)";
  expect(calls[0]).toMatchObject({
    url: webhook.url,
    secret: webhook.secret,
    body: { name: "exposed", question: "exposure", count: 2, change: { came: [came], wentCount: 0 } },
  });
  expect(await events()).toMatchObject([
    { type: "Warning", reason: "AnswerChanged", message: `1 came: ${came}.` },
  ]);
  await expect.poll(question).toMatchObject({ answer: { count: 2 }, waiting: [] });
  expect(await condition("Delivered")).toMatchObject({ status: "True" });
});

test("a webhook that fails is called again with the same id, and its failure is told", async () => {
  const { clock, east, calls, answers, condition } = await setup();
  answers.push(new Error("no answer"));
  await east.tell([pod()]);
  await clock.armed(lookAgainMs);
  await clock.advance(lookAgainMs);
  await expect.poll(() => condition("Delivered")).toMatchObject({ status: "False", reason: "WebhookFailed" });
  await clock.armed(lookAgainMs);
  await clock.advance(lookAgainMs);
  await expect.poll(() => condition("Delivered")).toMatchObject({ status: "True" });
  expect(calls).toHaveLength(2);
  expect(calls[1]?.id).toBe(calls[0]?.id);
});

test("nothing is told without rights, which the question says", async () => {
  const { clock, store, east, grants, calls, condition, events } = await setup();
  await store.objects.delete(AccessGrant, "all");
  await expect.poll(() => grants.grantsTo("east")).toEqual([]);
  await east.tell([pod("db", "keys")]);
  await clock.armed(lookAgainMs);
  await clock.advance(lookAgainMs);
  await expect.poll(() => condition("Ready")).toMatchObject({ status: "False", reason: "NotGranted" });
  const spec = { role: "editor", groups: [], disabled: true } as const;
  await store.objects.write(User, "operator", () => ({
    metadata: metadata("operator"),
    spec: { ...spec, groups: [] },
  }));
  await clock.armed(lookAgainMs);
  await clock.advance(lookAgainMs);
  await expect.poll(() => condition("Ready")).toMatchObject({ reason: "NoSuchUser" });
  expect([calls, await events()]).toEqual([[], []]);
});
