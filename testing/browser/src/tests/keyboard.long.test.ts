import { expect, test } from "vitest";

import { hasFocus } from "../browser/in-page.ts";
import type { Visit } from "../browser/visit.ts";
import { deployBroken, sampleCluster } from "../stage/sample-fleet.ts";
import { useStage } from "../stage/use-stage.ts";

const on = useStage({ clusters: [sampleCluster("edge")] });

/** Keys one after the other, as somebody types them who has no mouse. */
async function press({ page }: Visit, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** Tab after tab until something that has this role and name has the focus. */
async function tabTo(
  { page }: Visit,
  role: "link" | "button" | "row" | "textbox",
  name: RegExp,
): Promise<void> {
  const wanted = page.getByRole(role, { name }).first();
  await wanted.waitFor();
  for (let count = 0; count < 80; count += 1) {
    if (await wanted.evaluate(hasFocus)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`No Tab leads to the ${role} ${String(name)}.`);
}

test("the main tasks need no mouse", { timeout: 300_000 }, async () => {
  await deployBroken(on.stage.server, ["edge"]);
  const visit = await on.signIn();
  const { page } = visit;
  visit.complaints.expect(/404 \(Not Found\)|403 \(Forbidden\)/u);

  // 1. What do the keys do?
  await press(visit, "?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await press(visit, "Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  // 2. From the fleet to what is broken.
  await tabTo(visit, "link", /^reports$/u);
  await press(visit, "Enter");
  await visit.heading("reports").waitFor();
  // 3. Go somewhere by its letters.
  await visit.pressBoth("g", "c");
  await visit.heading("Clusters").waitFor();
  // 4. Filter a list, and leave the field.
  await press(visit, "/");
  await page.keyboard.type("edge");
  await press(visit, "Escape");
  expect(new URL(page.url()).searchParams.get("q")).toBe("edge");
  // 5. Into a row.
  await tabTo(visit, "row", /edge/u);
  await press(visit, "Enter");
  await visit.heading("edge").waitFor();
  // 6. Any object, by its list.
  await visit.open("/c/edge/k/core/v1/pods?q=till");
  await tabTo(visit, "row", /till/u);
  await press(visit, "Enter");
  await visit.heading("till").waitFor();
  // 7. Its YAML, 8. its logs. Keys of the tabs are there with the tabs.
  await page.getByRole("link", { name: "YAML" }).waitFor();
  await press(visit, "y");
  await page
    .getByRole("textbox", { name: /YAML|till/u })
    .first()
    .waitFor();
  await visit.heading("till").focus();
  await press(visit, "l");
  await page.getByRole("listbox", { name: "Lines" }).waitFor();
  // 9. A shell, typing in it, and out of it again.
  await press(visit, "s");
  await page.locator(".xterm-rows").filter({ hasText: /[$#]/u }).waitFor();
  await page.locator(".xterm-helper-textarea").focus();
  await page.keyboard.type("hostname\n");
  await page
    .locator(".xterm-rows")
    .filter({ hasText: /hostname\s*till/u })
    .waitFor();
  await press(visit, "Control+Alt+Escape");
  // 10. Find anything from anywhere.
  await press(visit, "Control+k");
  await page.getByRole("combobox").waitFor();
  await page.keyboard.type("settings");
  await page
    .getByRole("option", { name: /settings/u })
    .first()
    .waitFor();
  await press(visit, "Escape");
});
