import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

import { lookAgain } from "./in-page.ts";

export type Theme = "light" | "dark";

type Violations = Awaited<ReturnType<AxeBuilder["analyze"]>>["violations"];

/** What axe finds wrong with a page as it is now, by all its rules: one line each, with the part that it is about. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  // There are no frames of others, for which it would put its answers together in a page of its own; and of what is
  // well, every element of every page would be told.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ["violations"] });
  return problemsIn((await axe.analyze()).violations);
}

/**
 * The same in both themes, for a page that follows the system's: in the one that it was opened in, and then in the
 * other, in place. All rules look at both; the script with them is sent to the page once.
 */
export async function problemsInBothThemes(page: Page, first: Theme = "light"): Promise<string[]> {
  const second = first === "light" ? "dark" : "light";
  await page.emulateMedia({ colorScheme: first });
  const before = await accessibilityProblems(page);
  await page.emulateMedia({ colorScheme: second });
  const after = problemsIn(await page.evaluate<Violations>(`(${lookAgain.toString()})()`));
  return [
    ...before.map((problem) => `${first}: ${problem}`),
    ...after.map((problem) => `${second}: ${problem}`),
  ];
}

function problemsIn(violations: Violations): string[] {
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, failureSummary = "" }) => `${id}: ${target.join(" ")}: ${firstReason(failureSummary)}`,
    ),
  );
}

function firstReason(summary: string): string {
  return summary.split("\n").slice(1).join(" ").trim();
}
