import { AccessGrant } from "@bowline/api";
import { expect, test } from "vitest";

import { sampleCluster } from "../stage/sample-fleet.ts";
import { useStage } from "../stage/use-stage.ts";

const on = useStage({ clusters: [sampleCluster("edge")] });

/** Somebody who reaches the cluster by a grant of their own. */
async function addPerson(name: string, groups: string[]): Promise<string> {
  const { server } = on.stage;
  const token = await server.addUser(name, "viewer");
  await server.admin.apply(AccessGrant, name, {
    metadata: { name },
    spec: { subjects: [{ user: name }], clusters: { names: ["edge"] }, kubernetes: { groups } },
  });
  return token;
}

test("a shell ends with the grant that it stands on, and says so", async () => {
  const token = await addPerson("operator", ["system:masters"]);
  const visit = await on.signIn({ token });
  const { page, complaints } = visit;
  complaints.expect(/403 \(Forbidden\)|WebSocket/u);
  await visit.open("/c/edge/o/core/v1/pods/shop/till?tab=shell");
  await page.locator(".xterm-rows").filter({ hasText: /[$#]/u }).waitFor();
  await on.stage.server.admin.delete(AccessGrant, "operator");
  await page.getByRole("alert").getByText("Your access has ended, and the shell with it").waitFor();
  await expect.poll(() => page.getByText("Connected", { exact: true }).count()).toBe(0);
});

test("a viewer is shown nothing they may not see, not even for a moment, and told who refuses", async () => {
  const token = await addPerson("looker", ["nobody-knows-this-group"]);
  const visit = await on.signIn({ token });
  const { page, complaints } = visit;
  complaints.expect(/403 \(Forbidden\)/u);
  const flashed: string[] = [];
  await page.exposeFunction("noteFlash", (text: string) => void flashed.push(text));
  await page.addInitScript(`new MutationObserver(() => {
    if (document.body?.textContent.includes("till")) noteFlash(location.pathname);
  }).observe(document, { subtree: true, childList: true, characterData: true })`);
  await visit.open("/c/edge/k/core/v1/pods");
  // The grant lets them in; the cluster's own rules do not.
  await page.getByText(/RBAC/u).first().waitFor();
  await on.stage.server.admin.delete(AccessGrant, "looker");
  await visit.open("/c/edge/k/core/v1/secrets");
  await page
    .getByText(/AccessGrant/u)
    .first()
    .waitFor();
  expect(flashed).toEqual([]);
});
