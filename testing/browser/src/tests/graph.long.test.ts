import { expect, test } from "vitest";

import { nextPictures } from "../browser/in-page.ts";
import { sampleCluster, sampleNamespace } from "../stage/sample-fleet.ts";
import { useStage } from "../stage/use-stage.ts";

const on = useStage({ clusters: [sampleCluster("edge")] });

test("what lies beside the picture comes with a node that is chosen, and goes when it is closed", async () => {
  const visit = await on.signIn();
  const { page } = visit;
  // Until the agent has told of it, there is nothing to draw.
  await expect
    .poll(
      async () => {
        await visit.open(`/graph?cluster=edge&focus=Deployment/${sampleNamespace}/web`);
        return page.locator(".react-flow__node").first().waitFor({ timeout: 2_000 }).catch(String);
      },
      { timeout: 20_000 },
    )
    .toBeUndefined();
  const beside = page.getByRole("complementary", { name: /^About / });
  const isGone = async (): Promise<void> => {
    await beside.waitFor({ state: "detached" });
    // And does not come back.
    for (let count = 0; count < 5; count += 1) await page.evaluate(nextPictures);
    expect(await beside.count()).toBe(0);
  };
  const image = page.getByRole("group", { name: /ContainerImage/u });

  await image.click();
  await beside.waitFor();
  await beside.getByRole("button", { name: "Close" }).click();
  await isGone();
  expect(new URL(page.url()).searchParams.get("peek")).toBeNull();

  await image.focus();
  await page.keyboard.press("Enter");
  await beside.waitFor();
  await page.keyboard.press("Escape");
  await isGone();

  await image.click();
  await beside.getByRole("button", { name: "Put into the middle" }).click();
  await visit.heading(/ContainerImage/u).waitFor();
  await isGone();
});
