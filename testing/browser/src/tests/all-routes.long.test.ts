import { expect, test } from "vitest";

import { problemsInBothThemes, type Theme } from "../browser/accessibility-problems.ts";
import { coveredHeadings } from "../browser/in-page.ts";
import type { Visit } from "../browser/visit.ts";
import { routes, type ConsoleRoute } from "../routes.ts";
import { deployBroken, sampleCluster } from "../stage/sample-fleet.ts";
import { useStage } from "../stage/use-stage.ts";

const on = useStage({ clusters: [sampleCluster("edge")] });
const height = 800;
const [deskPx, phonePx] = [1_280, 320];
/** From a phone to a wide screen; at some of them every table is wider than its window. */
const widthsPx = [phonePx, 480, 768, 1_100, deskPx, 1_920];
const timeout = 600_000;

interface Looked {
  readonly problems: readonly string[];
  /** Of columns. */
  readonly headings: number;
}

/** What is wrong with a place, for those who cannot see well, and in windows of all sizes. */
async function lookAt(visit: Visit, { path, heading }: ConsoleRoute, theme: Theme): Promise<Looked> {
  const { page } = visit;
  await page.setViewportSize({ width: deskPx, height });
  await page.emulateMedia({ colorScheme: theme });
  await visit.arrive(path, heading);
  const problems = await problemsInBothThemes(page, theme);
  let most = 0;
  for (const width of widthsPx) {
    await page.setViewportSize({ width, height });
    const { headings, covered } = await page.evaluate(coveredHeadings);
    most = Math.max(most, headings);
    problems.push(...covered.map((name) => `at ${width} px its button lies over the heading ${name}`));
    if (width !== phonePx) continue;
    const scrollPx = await page.evaluate<number>("document.documentElement.scrollWidth");
    if (scrollPx > phonePx) problems.push(`it is ${scrollPx} px wide on a phone`);
  }
  return { problems, headings: most };
}

test("every place is for everybody, in both themes and in windows of all sizes", { timeout }, async () => {
  await deployBroken(on.stage.server, ["edge"]);
  const visit = await on.signIn();
  // What is not there, and what the cluster does not serve.
  visit.complaints.expect(/404 \(Not Found\)|403 \(Forbidden\)/u);
  const found: Record<string, readonly string[]> = {};
  let tables = 0;
  for (const [index, route] of routes.entries()) {
    // Each is opened in one theme, and changes to the other while it is there.
    const { problems, headings } = await lookAt(visit, route, index % 2 === 0 ? "light" : "dark");
    if (problems.length > 0) found[route.path] = problems;
    if (headings > 0) tables += 1;
  }
  expect(found).toEqual({});
  expect(tables).toBeGreaterThan(10);
});
