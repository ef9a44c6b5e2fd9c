import { Cluster } from "@bowline/api";
import { expect, test } from "vitest";

import { problemsInBothThemes } from "../browser/accessibility-problems.ts";
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
  await visit.replaceEnd(/command: nothing$/u, "nothing", "rack");
  await dialog.getByRole("button", { name: "Show what it takes" }).click();
  await dialog
    .getByRole("alert")
    .getByText(/Provider "exec" is not available in this server/u)
    .waitFor();
  await dialog.getByRole("button", { name: "Back to the fields" }).click();
  expect(await dialog.getByLabel("Name").inputValue()).toBe("typed");
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
});
