import { Cluster, ConfigSource } from "@bowline/api";
import { expect, onTestFinished, test } from "vitest";

import { problemsInBothThemes } from "../browser/accessibility-problems.ts";
import { GitStage } from "../stage/git-stage.ts";
import { useStage } from "../stage/use-stage.ts";

const on = useStage();
const name = "fleet";
const header = "apiVersion: bowline.dev/v1\n";
const clusterText = (cluster: string, region = "eu-1"): string =>
  `${header}kind: Cluster\nmetadata: {name: ${cluster}}\nspec: {region: ${region}}\n`;
const grantText = `${header}kind: AccessGrant
metadata: {name: ops}
spec:
  subjects: [{user: ada}]
  clusters: {names: [north]}
  kubernetes: {groups: [view]}
`;

async function followed(): Promise<GitStage> {
  const git = await GitStage.open();
  onTestFinished(() => git[Symbol.asyncDispose]());
  const clusters = ["north", "south", "west"].map((each) => [`clusters/${each}.yaml`, clusterText(each)]);
  await git.repository.commit({ files: { ...Object.fromEntries(clusters), "grant.yaml": grantText } });
  await git.follow(on.stage.server, name);
  return git;
}

test("a source of configuration is seen, asked to look, mended, and its deletions are agreed to", async () => {
  const git = await followed();
  const { admin } = on.stage.server;
  const visit = await on.signIn();
  const { page } = visit;
  const resolve = page.getByRole("button", { name: "Resolve now" });
  const objects = page.getByRole("list", { name: "Objects from it" }).getByRole("listitem");

  await visit.open("/sources");
  await page.getByRole("link", { name: "Configuration (1)" }).click();
  await page.getByRole("row", { name: /fleet.*main.*Healthy/u }).click();
  await visit.heading(name).waitFor();
  await expect.poll(() => objects.count()).toBe(4);
  await page.getByText(git.url).waitFor();
  const { status } = await admin.get(ConfigSource, name);
  const first = status.applied?.commit ?? "";
  await page.getByText(`commit ${first.slice(0, 12)}, 4 objects`).waitFor();
  expect(await problemsInBothThemes(page)).toEqual([]);

  // Each says where it comes from, and that it is changed there.
  const note = page.getByRole("note").filter({ hasText: "It comes from git" });
  await objects.filter({ hasText: "clusters/north.yaml" }).getByRole("link", { name: "north" }).click();
  await visit.heading("north").waitFor();
  await note.filter({ hasText: `clusters/north.yaml in ${git.url}, commit ${first.slice(0, 12)}` }).waitFor();
  await note.getByText("Changes made here are refused").waitFor();
  expect(await problemsInBothThemes(page)).toEqual([]);
  await note.getByRole("link", { name }).click();
  await objects.getByRole("link", { name: "ops" }).click();
  const editor = page.getByRole("dialog");
  await editor.getByText("It comes from git").waitFor();
  visit.complaints.expect(/409 \(Conflict\)/u);
  await editor.getByLabel("Groups", { exact: true }).first().fill("edit");
  await editor.getByRole("button", { name: "Write the change" }).click();
  await editor.getByRole("alert").filter({ hasText: "comes from git" }).waitFor();

  // A commit with a fault changes nothing, and says where the fault is.
  await visit.open(`/sources/config/${name}`);
  await git.repository.commit({ files: { "clusters/west.yaml": clusterText("west", "7") } });
  await resolve.click();
  const faults = page.getByRole("list", { name: "Problems" }).getByRole("listitem");
  await faults.filter({ hasText: /clusters\/west\.yaml:\d+ .*spec\.region/u }).waitFor();
  expect(await problemsInBothThemes(page)).toEqual([]);

  // One that deletes more than the limit waits for a yes.
  const gone = { "clusters/south.yaml": null, "clusters/west.yaml": null };
  const second = await git.repository.commit({ files: gone });
  await resolve.click();
  const held = page.getByRole("region", { name: "Held back" });
  await held.getByText("2 of 4 objects wait to be deleted").waitFor();
  await held.getByText(second.slice(0, 12)).waitFor();
  const doomed = held.getByRole("list", { name: "To be deleted" }).getByRole("listitem");
  expect(await doomed.allTextContents()).toEqual(["Cluster south", "Cluster west"]);
  expect(await problemsInBothThemes(page)).toEqual([]);
  expect((await admin.list(Cluster)).items).toHaveLength(3);
  await held.getByRole("button", { name: "Approve the 2 deletions" }).click();
  await held.waitFor({ state: "detached" });
  await expect.poll(() => objects.count()).toBe(2);
  const clusters = async () => (await admin.list(Cluster)).items.map(({ metadata }) => metadata.name);
  // A cluster that is deleted has gone when its controller has let it go.
  await expect.poll(clusters).toEqual(["north"]);
  expect((await admin.get(ConfigSource, name)).spec.approved).toEqual({ commit: second });
});

test("a viewer sees a source, and why they cannot change it", async () => {
  const token = await on.stage.server.addUser("looker", "viewer");
  await followed();
  const visit = await on.signIn({ token });
  await visit.open(`/sources/config/${name}`);
  const resolve = visit.page.getByRole("button", { name: "Resolve now" });
  await resolve.hover();
  await visit.page.getByText("You are a viewer").first().waitFor();
  expect(await resolve.getAttribute("aria-disabled")).toBe("true");
});
