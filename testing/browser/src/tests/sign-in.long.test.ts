import { Session } from "@bowline/api";
import type { Route } from "playwright-core";
import { expect, test } from "vitest";

import { accessibilityProblems } from "../browser/accessibility-problems.ts";
import { readableByScripts } from "../browser/in-page.ts";
import type { Visit } from "../browser/visit.ts";
import { useStage } from "../stage/use-stage.ts";

const on = useStage({ clusters: ["edge"] });

/** The addresses of all that a browser asks for. */
function addressesOf({ context }: Visit): string[] {
  const addresses: string[] = [];
  context.on("request", (request) => void addresses.push(request.url()));
  return addresses;
}

/** All places one after the other, without loading the page again: what one of them leaves is there in the next. */
async function walk(visit: Visit): Promise<string[]> {
  const seen: string[] = [];
  for (const [path, heading] of [
    ["/", "Fleet"],
    ["/clusters", "Clusters"],
  ] as const) {
    await visit.open(path);
    await visit.heading(heading).waitFor();
    seen.push(...Object.values(await visit.page.evaluate(readableByScripts)));
  }
  return seen;
}

test("a token that was typed, and the secret of its session, are nowhere that a script or a log could see", async () => {
  const visit = await on.visit();
  visit.complaints.expect(/401 \(Unauthorized\)/u);
  const { page, context } = visit;
  const addresses = addressesOf(visit);
  const token = await on.stage.server.addUser("typist", "viewer");
  await page.goto(on.stage.server.consoleUrl);
  await page.getByLabel("Token").fill(token);
  await page.keyboard.press("Enter");
  await visit.heading("Fleet").waitFor();
  const cookies = await context.cookies();
  expect(cookies).toEqual([
    expect.objectContaining({ name: "__Host-bowline", httpOnly: true, secure: true, sameSite: "Strict" }),
  ]);
  const secrets = [token, ...cookies.map(({ value }) => value)];
  for (const text of [...(await walk(visit)), ...addresses]) {
    for (const secret of secrets) expect(text).not.toContain(secret);
  }
});

test("a one-time code signs in, is gone from the address, and does not work again", async () => {
  const visit = await on.visit();
  visit.complaints.expect(/40[01] \((?:Unauthorized|Bad Request)\)/u);
  const { page, context } = visit;
  const addresses = addressesOf(visit);
  const link = await on.stage.server.signInUrl();
  await page.goto(link);
  await visit.heading("Fleet").waitFor();
  expect(page.url()).toBe(on.stage.server.consoleUrl);
  const code = new URL(link).hash.slice("#code=".length);
  // The fragment of the first address is never sent.
  expect(addresses.filter((address) => address.split("#")[0]?.includes(code))).toEqual([]);
  await context.clearCookies();
  await page.goto("about:blank");
  await page.goto(link);
  await page.getByText("The link was used already").waitFor();
});

test("a server that has no time for who signs in is asked again, and the code is as good as before", async () => {
  const visit = await on.visit();
  visit.complaints.expect(/429 \(Too Many Requests\)|503 \(Service Unavailable\)|RequestFailed: Try again/u);
  const statuses: number[] = [];
  visit.context.on("response", (response) => {
    if (/\/(?:sessions|whoami)$/u.test(response.url())) statuses.push(response.status());
  });
  const refuse = (status: number, code: string) => (route: Route) =>
    route.fulfill({ status, json: { error: { code, message: "Try again in a while." } } });
  await visit.context.route("**/api/v1/sessions", refuse(429, "TooManyRequests"), { times: 1 });
  await visit.context.route("**/api/v1/whoami", refuse(503, "DatabaseUnavailable"), { times: 1 });
  await visit.page.goto(await on.stage.server.signInUrl());
  await visit.page.getByText("Try again in a while.").waitFor();
  await visit.heading("Fleet").waitFor();
  expect(statuses.slice(0, 4)).toEqual([429, 201, 503, 200]);
});

test("signing out ends the session on the server", async () => {
  const { page } = await on.signIn();
  const count = async (): Promise<number> => (await on.stage.server.admin.list(Session)).items.length;
  const before = await count();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in to Bowline" }).waitFor();
  expect(await count()).toBe(before - 1);
});

test("the page to sign in is for everybody, and so is its refusal; axe would tell", async () => {
  const { page, complaints } = await on.visit();
  complaints.expect(/401 \(Unauthorized\)/u);
  await page.goto(on.stage.server.consoleUrl);
  await page.getByLabel("Token").fill("bwt_wrong");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.evaluate("document.querySelector('label').remove()");
  expect(await accessibilityProblems(page)).toContainEqual(expect.stringContaining("label: #token"));
});
