import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

/** What axe finds wrong with a page as it is now, by all its rules: one line each, with the part that it is about. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  return problemsFoundBy(new AxeBuilder({ page }));
}

/**
 * The same in both themes, for a page that follows the system's. They differ in nothing but colours, so that all rules
 * but one have the same to say of both.
 */
export async function problemsInBothThemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: "light" });
  const light = await problemsFoundBy(new AxeBuilder({ page }));
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await problemsFoundBy(new AxeBuilder({ page }).withRules("color-contrast"));
  return [...light, ...dark.map((problem) => `dark: ${problem}`)];
}

async function problemsFoundBy(axe: AxeBuilder): Promise<string[]> {
  // There are no frames of others, for which it would put its answers together in a page of its own.
  const { violations } = await axe.setLegacyMode().analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, failureSummary = "" }) => `${id}: ${target.join(" ")}: ${firstReason(failureSummary)}`,
    ),
  );
}

function firstReason(summary: string): string {
  return summary.split("\n").slice(1).join(" ").trim();
}
