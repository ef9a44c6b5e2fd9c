import { Cluster } from "@bowline/api";
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";

import { problemsInBothThemes } from "../browser/accessibility-problems.ts";
import { isInSight, nextPictures } from "../browser/in-page.ts";
import type { Visit } from "../browser/visit.ts";
import { StandInProvider } from "../stage/stand-in-provider.ts";
import { useStage } from "../stage/use-stage.ts";

const provider = new StandInProvider();
const on = useStage({ provider });

test("a cluster is created after its plan and its cost were seen, and its page tells how far it is", async () => {
  const visit = await on.signIn();
  const { page, complaints } = visit;
  complaints.expect(/422 \(Unprocessable|404 \(Not Found\)/u);
  // By the palette, as from everywhere.
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").waitFor();
  await page.keyboard.type(">create a clu");
  await page.getByRole("option", { name: /Create a cluster/u }).waitFor();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Create a cluster" });
  // What is wrong is told at its field.
  await dialog.getByLabel("Name").fill("Web_1");
  await dialog.getByLabel("Nodes").fill("many");
  await dialog.getByLabel("Most machines").fill("3");
  const ask = dialog.getByRole("button", { name: "Show what it takes" });
  await ask.click();
  await dialog.getByRole("alert").filter({ hasText: "2 fields are not right yet." }).waitFor();
  await dialog.getByLabel("Name").and(page.locator(":focus")).waitFor();
  expect(await dialog.getByLabel("Name").getAttribute("aria-invalid")).toBe("true");
  expect(await dialog.getByLabel("Nodes").getAttribute("aria-invalid")).toBe("true");
  expect(await dialog.getByLabel("Most machines").getAttribute("aria-invalid")).toBe("false");
  expect(await problemsInBothThemes(page)).toEqual([]);
  await dialog.getByLabel("Name").fill("web");
  await dialog.getByLabel("Nodes").fill("3");
  await ask.click();
  // Then the plan, and nothing is there yet.
  const steps = dialog.getByRole("list", { name: "Steps" });
  await steps.getByText("network of web").waitFor();
  expect(await steps.getByRole("listitem").allTextContents()).toEqual([
    "network of web",
    "3 machines of web",
  ]);
  await dialog.getByText("0.34 USD an hour, 248.20 USD a month of 730 hours").waitFor();
  await dialog.getByText("12m", { exact: true }).waitFor();
  expect((await on.stage.server.admin.list(Cluster)).items).toEqual([]);
  expect(await problemsInBothThemes(page)).toEqual([]);
  provider.answer = {
    state: "creating",
    step: { number: 2, of: 5, text: "Making the machines", expectedSeconds: 600 },
  };
  await dialog.getByRole("button", { name: "Create it" }).click();
  await visit.heading("web").waitFor();
  const made = page.getByRole("region", { name: "Made by kind" });
  await made.getByText("Step 2 of 5").waitFor();
  await made.getByText("Making the machines").waitFor();
  await made.getByRole("progressbar", { name: "Steps done, 1 of 5" }).waitFor();
  await made.getByText("Being made", { exact: true }).waitFor();
  // It is followed without anybody asking.
  provider.answer = { state: "blocked", reason: "QuotaTooLow", message: "There is room for 2 machines." };
  const obstacle = made.getByRole("group", { name: "What is in the way" });
  await obstacle.getByText("There is room for 2 machines.").waitFor();
  await obstacle.getByText(/What to do: Ask the cloud for a higher quota/u).waitFor();
  await made.getByText("Needs a person").waitFor();
  expect(await problemsInBothThemes(page)).toEqual([]);
  // The way back is to the list, and not into a dialog with nothing in it.
  await page.goBack();
  await page.getByRole("row", { name: /web/u }).waitFor();
  expect(await dialog.count()).toBe(0);
});

test("a cluster that is protected is not deleted, and one that is not tells what is left of it", async () => {
  const { admin } = on.stage.server;
  provider.answer = { state: "creating", step: { number: 1, of: 2, text: "Making the network" } };
  const metadata = { name: "kept" };
  await admin.apply(Cluster, "kept", { metadata, spec: { provider: "kind", protect: true } });
  const visit = await on.signIn();
  const { page, complaints } = visit;
  complaints.expect(/409 \(Conflict\)/u);
  await visit.open("/c/kept");
  await page.getByText("yes: a deletion is refused until this is taken back").waitFor();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Delete kept" });
  await dialog
    .getByRole("alert")
    .getByText(/protect/u)
    .waitFor();
  expect(await dialog.getByRole("button", { name: "Delete", exact: true }).count()).toBe(0);
  await page.keyboard.press("Escape");
  await admin.apply(Cluster, "kept", { metadata, spec: { provider: "kind", protect: false } });
  await page.getByText("Protected", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await dialog.getByText(/What kind has made is deleted with it/u).waitFor();
  await dialog.getByRole("textbox").fill("kept");
  provider.answer = {
    state: "deleting",
    reason: "LeftOver",
    message: "A network is left.",
    leftOver: ["net-1"],
  };
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("list", { name: "Left over" }).getByText("net-1").waitFor();
  await page.getByText("Being deleted", { exact: true }).first().waitFor();
  expect(await problemsInBothThemes(page)).toEqual([]);
});

test("everything else is written as YAML, and what the server lacks it says", async () => {
  const visit = await on.signIn();
  const { page, complaints } = visit;
  complaints.expect(/409 \(Conflict\)/u);
  await visit.open("/clusters?new=true");
  const dialog = page.getByRole("dialog", { name: "Create a cluster" });
  await dialog.getByLabel("Made by").selectOption("exec");
  await dialog.getByLabel("Name").fill("typed");
  await dialog.getByLabel("Program").fill("nothing");
  await dialog.getByRole("button", { name: "Edit as YAML" }).click();
  await dialog.getByRole("textbox", { name: "The cluster as YAML" }).waitFor();
  await visit.replaceEnd(/command: nothing$/u, "nothing", "[rack");
  await dialog.getByText("This is no YAML yet.").waitFor();
  await visit.replaceEnd(/command: \[rack$/u, "[rack", "rack");
  await dialog.getByRole("button", { name: "Show what it takes" }).click();
  await dialog
    .getByRole("alert")
    .getByText(/Provider "exec" is not available in this server/u)
    .waitFor();
  await dialog.getByRole("button", { name: "Back to the fields" }).click();
  expect(await dialog.getByLabel("Name").inputValue()).toBe("typed");
});

/** The dialog, as by its address. */
async function openDialog(visit: Visit): Promise<Locator> {
  await visit.open("/clusters?new=true");
  const dialog = visit.page.getByRole("dialog", { name: "Create a cluster" });
  await dialog.waitFor();
  return dialog;
}

async function clusterNames(): Promise<string[]> {
  return (await on.stage.server.admin.list(Cluster)).items.map(({ metadata }) => metadata.name);
}

test("a double click asks for the plan, whose cost is seen before anything can be created", async () => {
  const visit = await on.signIn();
  const dialog = await openDialog(visit);
  await dialog.getByLabel("Name").fill("twice");
  await dialog.getByRole("button", { name: "Show what it takes" }).dblclick({ delay: 20 });
  const create = dialog.getByRole("button", { name: "Create it" });
  await create.waitFor();
  // It can be pressed in a while, by when a second click has been for nothing.
  await dialog.locator("button:enabled", { hasText: "Create it" }).waitFor();
  expect(await clusterNames()).not.toContain("twice");
  // Nothing is in front of what it costs, whatever the height of the window.
  expect(await dialog.getByText("0.34 USD an hour").evaluate(isInSight)).toBe(true);
});

test("a year with a digit too many and a label that is none are told, and nothing typed is lost", async () => {
  const visit = await on.signIn();
  const { page, complaints } = visit;
  complaints.expect(/422 \(Unprocessable/u);
  const dialog = await openDialog(visit);
  await dialog.getByLabel("Made by").selectOption("kind");
  await dialog.getByLabel("Name").fill("typed");
  await dialog.getByLabel("Not needed after").fill("20266-01-02T03:04");
  const ask = dialog.getByRole("button", { name: "Show what it takes" });
  await ask.click();
  await dialog.getByRole("alert").filter({ hasText: "A field is not right yet." }).waitFor();
  expect(await dialog.getByLabel("Not needed after").getAttribute("aria-invalid")).toBe("true");
  expect(await dialog.getByLabel("Name").inputValue()).toBe("typed");
  await dialog.getByLabel("Not needed after").fill("");
  const labels = dialog.getByRole("textbox", { name: "Labels" });
  await labels.fill("no label!");
  await ask.click();
  await dialog.getByText("«no label!»").waitFor();
  await labels.and(page.locator(":focus")).waitFor();
  expect(await dialog.getByRole("button", { name: "Create it" }).count()).toBe(0);
  await labels.fill("env=dev");
  await page.keyboard.press("Enter");
  await ask.click();
  await dialog.getByRole("button", { name: "Create it" }).waitFor();
});

test("machines that were typed for one provider are seen where another one takes them", async () => {
  const visit = await on.signIn();
  const dialog = await openDialog(visit);
  await dialog.getByLabel("Made by").selectOption("eks");
  await dialog.getByLabel("Machines", { exact: true }).fill("7");
  await dialog.getByLabel("Made by").selectOption("clusterapi");
  expect(await dialog.getByLabel("Machines of the control plane").inputValue()).toBe("7");
});

test("what is created nobody takes back by closing the dialog, and without a network nothing waits to be created", async () => {
  const visit = await on.signIn();
  const { page, context, complaints } = visit;
  complaints.expect(/ERR_INTERNET_DISCONNECTED/u);
  const dialog = await openDialog(visit);
  await dialog.getByLabel("Name").fill("later");
  await dialog.getByRole("button", { name: "Show what it takes" }).click();
  const create = dialog.locator("button:enabled", { hasText: "Create it" });
  await create.waitFor();
  await context.setOffline(true);
  await create.click();
  await dialog.getByRole("alert").filter({ hasText: "This did not work" }).waitFor();
  await context.setOffline(false);
  // While it is being created, nothing of it can be changed, and closing does not call it off.
  await context.route("**/api/v1/clusters", async (route) => {
    await page.getByRole("heading", { level: 1, name: "Events" }).waitFor();
    await route.continue();
  });
  await create.click();
  await dialog.getByRole("status").filter({ hasText: "Creating it" }).waitFor();
  expect(await dialog.getByRole("button", { name: "Cancel" }).isDisabled()).toBe(true);
  expect(await dialog.locator("[inert]").getByLabel("Name").count()).toBe(1);
  await page.keyboard.press("Escape");
  const created = page.waitForResponse(/\/api\/v1\/clusters$/u);
  await page.getByRole("link", { name: "Events", exact: true }).click();
  await created;
  await expect.poll(clusterNames).toContain("later");
  // Whoever has gone elsewhere stays there.
  await page.evaluate(nextPictures);
  await visit.heading("Events").waitFor();
  expect(new URL(page.url()).pathname).toBe("/ui/events");
});

test("who may not create clusters is told why", async () => {
  const token = await on.stage.server.addUser("looker", "viewer");
  const visit = await on.signIn({ token });
  const { page } = visit;
  await visit.open("/clusters");
  const button = page.getByRole("button", { name: "Create a cluster", disabled: true });
  await button.focus();
  await page.getByRole("tooltip").filter({ hasText: "to create clusters takes the role editor" }).waitFor();
  await page.keyboard.press("Enter");
  expect(await page.getByRole("dialog").count()).toBe(0);
  // Whoever comes by the address reads it there.
  const dialog = await openDialog(visit);
  await dialog.getByRole("note").filter({ hasText: "You are a viewer here" }).waitFor();
});
