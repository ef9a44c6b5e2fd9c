import { expect, test } from "vitest";

import { routes } from "../routes.ts";
import { hostileLine } from "../stage/hostile-answers.ts";
import { hostilePayloads, tripped } from "../stage/hostile-cluster.ts";
import { deployBroken, sampleCluster, secretCanary } from "../stage/sample-fleet.ts";
import { useStage } from "../stage/use-stage.ts";

const plan = sampleCluster("edge");
const on = useStage({
  clusters: [
    {
      ...plan,
      sim: { metrics: true },
      // Names, labels, columns, kinds, events and messages that no API server would let in: to the agent, and to pages.
      prepare: (sim) =>
        void sim.faults.rewriteAnswers({
          path: /^(?!.*\/(?:exec|kube-system|leases|tokenreviews)\b)/u,
          rewrite: hostileLine,
        }),
    },
  ],
});
const timeout = 600_000;
/** Marks that turn or hide what stands beside them. */
const mark = /[\u202A-\u202E\u2066-\u2069\u200B]/u;
/** With it, what a terminal would obey begins. */
const escape = "\u001B";

/** An object of whatever name, as the page writes it into an address: half a character has no place in one. */
function objectPath(name: string): string {
  return `/c/edge/o/core/v1/pods/shop/${encodeURIComponent(name.toWellFormed())}`;
}

test("a cluster that keeps to no rule does nothing to the page, nor to the server", { timeout }, async () => {
  await deployBroken(on.stage.server, ["edge"]);
  const visit = await on.signIn();
  const { page } = visit;
  // What is not there, what the cluster does not serve, and names that no server can look for.
  visit.complaints.expect(/(?:400|403|404|422) \(/u);
  const found: string[] = [];
  const look = async (path: string): Promise<void> => {
    if ((await page.evaluate(`globalThis.${tripped}`)) !== undefined) found.push(`${path}: something ran`);
    if ((await page.evaluate("({}).polluted")) !== undefined) found.push(`${path}: all objects were changed`);
    const text = await page.evaluate<string>("document.documentElement.outerHTML");
    const hidden = Math.max(text.search(mark), text.indexOf(escape));
    if (hidden >= 0) found.push(`${path}: hidden characters in ${text.slice(hidden - 200, hidden + 50)}`);
    if (text.includes(secretCanary)) found.push(`${path}: the value of a Secret`);
    if (/href="(?!https?:|\/|#)/u.test(text)) found.push(`${path}: an address that is none`);
    if (text.length > 3_000_000) found.push(`${path}: ${text.length} characters`);
  };
  for (const { path, heading } of routes) {
    await visit
      .arrive(path, heading)
      .catch((error: unknown) => found.push(`${path}: ${String(error).slice(0, 300)}`));
    await look(path);
  }
  for (const name of hostilePayloads.slice(0, -1)) {
    const path = objectPath(name);
    await visit.open(path);
    await visit.heading(/./u).waitFor();
    await look(path);
  }
  expect(found).toEqual([]);
  // It is still a page that one can use.
  await visit.arrive("/c/edge/k/core/v1/pods", "Pod");
  await page.getByRole("row", { name: /till/u }).first().dblclick();
  await page.getByRole("link", { name: "Clusters", exact: true }).click();
  await visit.heading("Clusters").waitFor();
});
