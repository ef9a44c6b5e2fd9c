import { Session } from "@bowline/api";
import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, onTestFinished, test } from "vitest";

import { problemsInBothThemes } from "../browser/accessibility-problems.ts";
import { HeldAnswers, type Treatment } from "../browser/held-answers.ts";
import { Visit } from "../browser/visit.ts";
import {
  emptyClusterRoutes,
  emptyRoutes,
  pastRoutes,
  statefulRoutes,
  unobservedRoutes,
  type StatefulRoute,
} from "../route-states.ts";
import type { ConsoleRoute } from "../routes.ts";
import { ConsoleServer } from "../stage/console-server.ts";
import { CutOffConsole } from "../stage/cut-off-console.ts";
import { deployBroken, sampleCluster } from "../stage/sample-fleet.ts";
import { untilTestEnds, useStage } from "../stage/use-stage.ts";

const on = useStage({ clusters: [sampleCluster("edge")] });
const timeout = 600_000;
/** Requests of pages, not those of the agent. */
const userAgent = "Chrome";
/** Longer than a test takes. */
const neverMs = 3_600_000;

beforeAll(async () => {
  const { sim } = on.stage.cluster("edge");
  sim.api.create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "bare" } });
  await deployBroken(on.stage.server, ["edge"]);
}, timeout);

/** By what one knows that a page is in a state. */
const seen = {
  loading: (page: Page) => page.getByText(/^(?:Waiting|Still waiting) for |^Connecting$/u),
  error: (page: Page) => page.getByRole("alert"),
  forbidden: (page: Page) =>
    page.getByText(/No AccessGrant of yours covers this|You may not open a shell here/u),
  offline: (page: Page) => page.getByText(/agent is (?:away|offline)/iu),
  unobserved: (page: Page) => page.getByText("Not observed: "),
  stale: (page: Page) => page.getByRole("status").filter({ hasText: "Reconnecting" }),
  past: (page: Page) => page.getByRole("status").filter({ hasText: "As of" }),
  over: (page: Page) => page.getByRole("dialog", { name: "Your session is over" }),
} satisfies Record<string, (page: Page) => Locator>;

/** What is wrong, by place. */
type Found = Record<string, string[]>;

async function look(
  found: Found,
  page: Page,
  path: string,
  evidence?: (page: Page) => Locator,
): Promise<void> {
  const shows = await evidence?.(page)
    .first()
    .waitFor({ state: "attached" })
    .then(
      () => true,
      () => false,
    );
  const problems = await problemsInBothThemes(page);
  if (shows === false) problems.push("it does not show the state");
  if (problems.length > 0) found[path] = problems;
}

/** Goes to places one after the other, as they are when somebody comes. */
async function walk(
  visit: Visit,
  routes: readonly ConsoleRoute[],
  evidence: (page: Page) => Locator,
): Promise<Found> {
  const found: Found = {};
  for (const { path, heading } of routes) {
    await visit.open(path);
    await visit.heading(heading).waitFor();
    await look(found, visit.page, path, evidence);
  }
  return found;
}

/** All tabs of a browser share one stream, on which no more than 64 lists are followed at a time. */
function tabfuls(routes: readonly ConsoleRoute[]): ConsoleRoute[][] {
  return Array.from({ length: Math.ceil(routes.length / 9) }, (_, index) =>
    routes.slice(9 * index, 9 * (index + 1)),
  );
}

/** Opens a tab for each place while all is well, brings about what is to be seen, and looks at all of them. */
async function lookAtAll(
  visit: Visit,
  routes: readonly ConsoleRoute[],
  { bring, evidence }: { readonly bring: () => Promise<void>; readonly evidence: (page: Page) => Locator },
): Promise<Found> {
  const found: Found = {};
  const tabs: (readonly [string, Page])[] = [];
  for (const { path, heading } of routes) {
    const page = await visit.context.newPage();
    await page.goto(visit.address(path));
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    await page.getByRole("status").filter({ hasText: "Live" }).waitFor();
    const waiting = page.getByText(/^Waiting for /u).first();
    await waiting.waitFor({ state: "detached" });
    // What is shown may need another script, which nothing tells of at first.
    await page.waitForLoadState("networkidle");
    await waiting.waitFor({ state: "detached" });
    tabs.push([path, page]);
  }
  await bring();
  for (const [path, page] of tabs) {
    await look(found, page, path, evidence);
    await page.close();
  }
  return found;
}

const ofCluster = statefulRoutes.filter(({ source }) => source === "cluster");
const ofServer = statefulRoutes.filter(({ source, isForm }) => source !== "cluster" && isForm !== true);

/** Somebody between whom and Bowline's own API there is something; a cluster is slow, or fails, by itself. */
async function walkWith(
  treatment: Exclude<Treatment, "answered">,
  evidence: (page: Page) => Locator,
): Promise<Found> {
  const visit = await on.signIn();
  visit.complaints.expect(/50\d \(/u, /WebSocket/u);
  const { faults } = on.stage.cluster("edge").sim;
  const fault =
    treatment === "held"
      ? faults.slowRequests({ userAgent, delayMs: neverMs })
      : faults.failRequests({ userAgent, code: 500 });
  const clusters = await walk(visit, ofCluster, evidence);
  fault.remove();
  const between = await HeldAnswers.between(visit.context);
  const servers: Found = {};
  for (const source of ["requests", "lists"] as const) {
    const routes = ofServer.filter((route: StatefulRoute) => route.source === source);
    between.treat(treatment, source === "lists" ? treatment : "answered");
    Object.assign(servers, await walk(visit, routes, evidence));
  }
  return { ...clusters, ...servers };
}

test("loading: every place says what it waits for", { timeout }, async () => {
  expect(await walkWith("held", seen.loading)).toEqual({});
});

test("error: every place says what went wrong", { timeout }, async () => {
  expect(await walkWith("failed", seen.error)).toEqual({});
});

test("forbidden: every place of a cluster says who refuses", { timeout }, async () => {
  const token = await on.stage.server.addUser("stranger", "viewer");
  const visit = await on.signIn({ token });
  visit.complaints.expect(/403 \(Forbidden\)/u, /WebSocket/u);
  expect(await walk(visit, ofCluster, seen.forbidden)).toEqual({});
});

test("empty: every place says what would be there", { timeout }, async () => {
  const bare = await ConsoleServer.start();
  onTestFinished(() => bare[Symbol.asyncDispose]());
  const visit = untilTestEnds(await Visit.open(on.stage.browser, bare.consoleUrl));
  await visit.page.goto(await bare.signInUrl());
  await visit.heading("Fleet").waitFor();
  const found: Found = {};
  for (const { path, heading } of emptyRoutes) {
    await visit.arrive(path, heading);
    await look(found, visit.page, path);
  }
  const other = await on.signIn();
  other.complaints.expect(/404 \(Not Found\)/u);
  for (const { path, heading } of emptyClusterRoutes) {
    await other.arrive(path, heading);
    await look(found, other.page, path);
  }
  expect(found).toEqual({});
});

test("not observed: every answer says what it lacks", { timeout }, async () => {
  const { objects = [] } = sampleCluster("blind");
  await on.stage.join({
    name: "blind",
    objects,
    prepare: (sim) =>
      void sim.faults.failRequests({
        code: 403,
        resource: ["services", "secrets", "serviceaccounts"],
        userAgent: /^(?!.*Chrome)/u,
      }),
  });
  const visit = await on.signIn();
  expect(await walk(visit, unobservedRoutes, seen.unobserved)).toEqual({});
});

test("as of a time: answers about the past say so", { timeout }, async () => {
  const visit = await on.signIn();
  expect(await walk(visit, pastRoutes(new Date().toISOString()), seen.past)).toEqual({});
});

test("stale: every place says that it is not of now", { timeout }, async () => {
  const console = await CutOffConsole.of(on.stage.server);
  onTestFinished(() => console[Symbol.asyncDispose]());
  const found: Found = {};
  for (const routes of tabfuls(statefulRoutes)) {
    await console.reconnect();
    await using visit = await Visit.open(on.stage.browser, console.consoleUrl);
    visit.complaints.expect(/ERR_CONNECTION_|WebSocket|ERR_EMPTY_RESPONSE/u);
    const { hash } = new URL(await on.stage.server.signInUrl());
    await visit.page.goto(`${console.consoleUrl}${hash}`);
    await visit.heading("Fleet").waitFor();
    const bring = (): Promise<void> => console.disconnect();
    Object.assign(found, await lookAtAll(visit, routes, { bring, evidence: seen.stale }));
    expect(visit.complaints.unexpected).toEqual([]);
  }
  expect(found).toEqual({});
});

test("session over: every place stays, under a dialog that says so", { timeout }, async () => {
  const { server } = on.stage;
  const token = await server.addUser("leaver", "admin");
  const found: Found = {};
  for (const routes of tabfuls(statefulRoutes)) {
    await using visit = await on.stage.signIn({ token });
    visit.complaints.expect(/40[13] \(|WebSocket/u);
    const bring = async (): Promise<void> => {
      const { items } = await server.admin.list(Session, { fieldSelector: "spec.user=leaver" });
      for (const { metadata } of items) await server.admin.delete(Session, metadata.name);
    };
    Object.assign(found, await lookAtAll(visit, routes, { bring, evidence: seen.over }));
    expect(visit.complaints.unexpected).toEqual([]);
  }
  expect(found).toEqual({});
});

test(
  "offline: every place of a cluster says so, whether one is there or comes later",
  { timeout },
  async () => {
    const visit = await on.signIn();
    visit.complaints.expect(/503 \(Service Unavailable\)|WebSocket/u);
    const followed = ofCluster.filter(({ path }) => /\/(?:k\/core|o|logs|shell)\b/u.test(path));
    const found = await lookAtAll(visit, followed, {
      bring: () => on.stage.cluster("edge").disconnect(),
      evidence: seen.offline,
    });
    expect(found).toEqual({});
    expect(await walk(visit, ofCluster, seen.offline)).toEqual({});
  },
);
