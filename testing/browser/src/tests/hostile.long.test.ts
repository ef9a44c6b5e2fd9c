import { expect, test } from "vitest";

import { routes } from "../routes.ts";
import { hostileCluster, tripped } from "../stage/hostile-cluster.ts";
import { deployBroken, secretCanary } from "../stage/sample-fleet.ts";
import { useStage } from "../stage/use-stage.ts";

const on = useStage({ clusters: [hostileCluster] });
const encodedCanary = Buffer.from(secretCanary).toString("base64");

/** Every place, with the cluster that says the worst in the place of the one that is well. */
const places = routes.map(({ path, heading }) => ({
  path: path.replaceAll("edge", "hostile"),
  heading: heading.replaceAll("edge", "hostile"),
}));

test("a cluster that says the worst does nothing to the page", { timeout: 300_000 }, async () => {
  await deployBroken(on.stage.server, ["hostile"]);
  const visit = await on.signIn();
  // What is not there, and what the cluster does not serve.
  visit.complaints.expect(/404 \(Not Found\)|403 \(Forbidden\)/u);
  const { page } = visit;
  const leaks: string[] = [];
  for (const { path, heading } of places) {
    await visit.arrive(path, heading);
    expect(await page.evaluate(`globalThis.${tripped}`)).toBeUndefined();
    expect(await page.evaluate("({}).polluted")).toBeUndefined();
    const text = await page.evaluate<string>("document.documentElement.outerHTML");
    if (/[\u202A-\u202E\u2066-\u2069\u200B]/u.test(text) || text.includes("\u001B"))
      leaks.push(`${path}: hidden characters`);
    if (text.includes(secretCanary) || text.includes(encodedCanary))
      leaks.push(`${path}: the value of a Secret`);
    if (/href="(?!https?:|\/|#)/u.test(text)) leaks.push(`${path}: an address that is none`);
    if (text.length > 2_000_000) leaks.push(`${path}: ${text.length} characters`);
  }
  expect(leaks).toEqual([]);
});
