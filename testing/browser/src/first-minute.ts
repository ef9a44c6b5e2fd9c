import type { Page } from "playwright-core";

import type { Demo } from "./stage/demo.ts";
import type { Visit } from "./browser/visit.ts";

/** Keeps a picture of the page as it is now, under a name. */
export type Shot = (name: string) => Promise<void>;

/** Clusters, agents and pods come up on machines that have other work. */
const comingUpMs = 120_000;

/**
 * The first minute with Bowline, as somebody has it who opens the link that `npm start` prints: two clusters turn green,
 * a broken workload is found with its reason, logs are read and a shell is opened, and a third cluster is joined.
 */
export async function walkFirstMinute(demo: Demo, visit: Visit, shot: Shot): Promise<void> {
  await openLink(demo, visit, shot);
  await findBroken(visit.page, shot);
  await readLogs(visit.page, shot);
  await useShell(visit.page, shot);
  await joinCluster(demo, visit.page, shot);
}

async function openLink(demo: Demo, visit: Visit, shot: Shot): Promise<void> {
  const { page } = visit;
  await page.goto(demo.link);
  await visit.heading("Fleet").waitFor();
  const clusters = page.getByRole("list", { name: "Clusters", exact: true }).getByRole("listitem");
  for (const name of ["edge", "cloud"]) {
    await clusters.filter({ hasText: name }).getByText("Healthy").waitFor({ timeout: comingUpMs });
  }
  await page
    .getByText(/ImagePullBackOff|ErrImagePull/u)
    .first()
    .waitFor({ timeout: comingUpMs });
  await shot("fleet");
}

/** One click from the fleet to the workload, where the reason is; the second would be its pod. */
async function findBroken(page: Page, shot: Shot): Promise<void> {
  await page
    .getByRole("list", { name: "Workloads that are not ready" })
    .getByRole("link", { name: "reports" })
    .click();
  await page.getByRole("heading", { level: 1, name: "reports" }).waitFor();
  await page
    .getByRole("link", { name: /^logs of reports-/u })
    .first()
    .waitFor();
  await page
    .getByText(/cannot be pulled|Back-off pulling/u)
    .first()
    .waitFor();
  await shot("broken-workload");
}

async function readLogs(page: Page, shot: Shot): Promise<void> {
  await page.getByRole("link", { name: "Workloads", exact: true }).click();
  await page.getByRole("row", { name: /^shop/u }).click();
  await page
    .getByRole("link", { name: /^logs of web-/u })
    .first()
    .click();
  await page.getByRole("listbox", { name: "Lines" }).getByRole("option").first().waitFor();
  await shot("logs");
}

async function useShell(page: Page, shot: Shot): Promise<void> {
  await page.getByRole("link", { name: "Shell", exact: true }).click();
  const terminal = page.locator(".xterm-rows");
  await terminal.filter({ hasText: /[$#]/u }).waitFor();
  await page.locator(".xterm-helper-textarea").focus();
  await page.keyboard.type("env\n");
  await terminal
    .filter({ hasText: "KUBERNETES" })
    .or(terminal.filter({ hasText: "PATH=" }))
    .first()
    .waitFor();
  await shot("shell");
}

async function joinCluster(demo: Demo, page: Page, shot: Shot): Promise<void> {
  await page.getByRole("link", { name: "Clusters", exact: true }).first().click();
  await page.getByRole("link", { name: /^Join/u }).first().click();
  await page.getByRole("textbox", { name: "Name" }).fill("lab");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name: "Join lab" }).waitFor();
  await shot("join");
  await using _agent = await demo.joinOwn("lab");
  await page.getByText("lab has joined.").waitFor({ timeout: comingUpMs });
  await shot("joined");
}
