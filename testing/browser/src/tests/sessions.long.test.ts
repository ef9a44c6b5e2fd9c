import { Cluster, Session, Token } from "@bowline/api";
import { expect, test } from "vitest";

import { useStage } from "../stage/use-stage.ts";

const on = useStage({ clusters: ["edge"] });

test.each([
  [
    "the session itself",
    async () => {
      const { items } = await on.stage.server.admin.list(Session, { fieldSelector: "spec.user=visitor" });
      for (const { metadata } of items) await on.stage.server.admin.delete(Session, metadata.name);
    },
  ],
  ["its token", () => on.stage.server.admin.revokeToken("visitor-token")],
])("a page is told that somebody has ended %s, and goes on after signing in", async (_, end) => {
  const { server } = on.stage;
  const again = await server.addUser("visitor", "viewer", `again-${Date.now()}`);
  const token = await server.addUser("visitor", "viewer", "visitor-token");
  const visit = await on.signIn({ token });
  const { page, complaints } = visit;
  complaints.expect(/401 \(Unauthorized\)/u);
  await page.getByRole("status").filter({ hasText: "Live" }).waitFor();
  await end();
  const dialog = page.getByRole("dialog", { name: "Your session is over" });
  await dialog.waitFor();
  await expect.poll(() => server.metric("bowline_stream_sockets")).toBe(0);
  await dialog.getByLabel("Token").fill(again);
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("status").filter({ hasText: "Live" }).waitFor();
  await server.admin.delete(Token, "visitor-token");
});

test("seven tabs are all live, over one connection", async () => {
  const visit = await on.signIn();
  const pages = [visit.page];
  while (pages.length < 7) {
    const page = await visit.context.newPage();
    await page.goto(visit.address("/clusters"));
    await page.getByRole("row", { name: /edge/u }).waitFor();
    pages.push(page);
  }
  await on.stage.server.admin.apply(Cluster, "newcomer", { metadata: { name: "newcomer" }, spec: {} });
  for (const page of pages) await page.getByText("newcomer").first().waitFor({ state: "attached" });
  expect(await on.stage.server.metric("bowline_stream_sockets")).toBe(1);
  await on.stage.server.admin.delete(Cluster, "newcomer");
});

test("who signs in after somebody else sees nothing of theirs", async () => {
  const { server } = on.stage;
  const visit = await on.signIn();
  const { page, complaints } = visit;
  complaints.expect(/401 \(Unauthorized\)/u);
  await visit.open("/clusters");
  await page.getByRole("row", { name: /edge/u }).waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in to Bowline" }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Sign in to Bowline" }).waitFor();
  expect(await page.getByText("edge").count()).toBe(0);
  await page.getByLabel("Token").fill(await server.addUser("next", "viewer"));
  await page.keyboard.press("Enter");
  await page.getByText("next · viewer").waitFor();
});
