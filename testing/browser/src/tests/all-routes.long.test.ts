import { expect, test } from "vitest";

import { accessibilityProblems } from "../browser/accessibility-problems.ts";
import type { Visit } from "../browser/visit.ts";
import { routes, type ConsoleRoute } from "../routes.ts";
import { deployBroken, sampleCluster } from "../stage/sample-fleet.ts";
import { useStage } from "../stage/use-stage.ts";

const on = useStage({ clusters: [sampleCluster("edge")] });
const [desk, phone] = [
  { width: 1280, height: 800 },
  { width: 320, height: 640 },
];
const timeout = 600_000;

/** What is wrong with a place, for those who cannot see well, and on the smallest of screens. */
async function problemsOf(visit: Visit, { path, heading }: ConsoleRoute): Promise<string[]> {
  const { page } = visit;
  await page.setViewportSize(desk);
  await visit.arrive(path, heading);
  const onDesk = await accessibilityProblems(page);
  await page.setViewportSize(phone);
  const widthPx = await page.evaluate<number>("document.documentElement.scrollWidth");
  return [...onDesk, ...(widthPx > phone.width ? [`it is ${widthPx} px wide on a phone`] : [])];
}

test.each(["light", "dark"] as const)(
  "every place is for everybody, in the %s theme",
  { timeout },
  async (theme) => {
    await deployBroken(on.stage.server, ["edge"]);
    const visit = await on.signIn({ theme });
    // What is not there, and what the cluster does not serve.
    visit.complaints.expect(/404 \(Not Found\)|403 \(Forbidden\)/u);
    const found: Record<string, string[]> = {};
    for (const route of routes) {
      const problems = await problemsOf(visit, route);
      if (problems.length > 0) found[route.path] = problems;
    }
    expect(found).toEqual({});
  },
);
