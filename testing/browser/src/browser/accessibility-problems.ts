import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

/** What axe finds wrong with a page as it is now, by all its rules: one line each, with the part that it is about. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, failureSummary = "" }) => `${id}: ${target.join(" ")}: ${firstReason(failureSummary)}`,
    ),
  );
}

function firstReason(summary: string): string {
  return summary.split("\n").slice(1).join(" ").trim();
}
