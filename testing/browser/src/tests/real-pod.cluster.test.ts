import { AccessGrant } from "@bowline/api";
import { whyNoCluster } from "@bowline/test-cluster";
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";

import { gridCells } from "../browser/in-page.ts";
import { logFile, realClusterName, useRealCluster } from "../stage/use-real-cluster.ts";
import { kubectlRows, pageRows } from "./table-rows.ts";

const cluster = `/c/${realClusterName}`;
const boxPage = `${cluster}/o/core/v1/pods/default/box`;

describe.skipIf(await whyNoCluster(process.env))("a real cluster in the console", () => {
  const on = useRealCluster();

  const write = (line: string): Promise<string> =>
    on.kubectl("exec", "box", "--", "sh", "-c", `echo '${line}' > ${logFile}`);

  test("a pod's logs are followed from its row in the list: a line is there as soon as it is written", async () => {
    await write("before anybody looked");
    const visit = await on.signIn();
    const { page } = visit;
    await visit.open(`${cluster}/k/core/v1/pods?ns=default`);
    await page.getByRole("row", { name: /box/u }).click();
    await visit.heading("box").waitFor();
    await page.getByText("Healthy", { exact: true }).first().waitFor();
    await page.getByRole("link", { name: "Logs", exact: true }).click();
    const lines = page.getByRole("listbox", { name: "Lines" }).getByRole("option");
    await lines.filter({ hasText: "before anybody looked" }).waitFor();
    for (const line of ["while somebody looks", "and once more"]) {
      expect(await lines.filter({ hasText: line }).count()).toBe(0);
      await write(line);
      await lines.filter({ hasText: line }).waitFor();
    }
    expect(await lines.count()).toBe(3);
  });

  test("a shell runs what is typed, has the size that one sees, and tells how it ended", async () => {
    const visit = await on.signIn();
    const { page } = visit;
    await visit.open(`${boxPage}?tab=shell`);
    await type(page, "hostname; echo $((6 * 7)); tty");
    await output(page, "box").waitFor();
    await output(page, "42").waitFor();
    await output(page, "/dev/pts/\\d+").waitFor();
    const [rows, columns] = [await rowsOf(page).count(), await columnsInShell(page)];
    await page.setViewportSize({ width: 900, height: 600 });
    await expect.poll(() => rowsOf(page).count()).toBeLessThan(rows);
    expect(await columnsInShell(page)).toBeLessThan(columns);
    await type(page, "exit 3");
    await page.getByRole("alert").getByText("The shell has ended with code 3").waitFor();
    await page.getByRole("button", { name: "New shell" }).click();
    await page.getByText("Connected", { exact: true }).waitFor();
    await type(page, "echo again $((40 + 2)); exit");
    await output(page, "again 42").waitFor();
    await page.getByRole("alert").getByText("The shell has ended.").waitFor();
  });

  test("a shell ends with the grant that it stands on", async () => {
    const { server } = on.stage;
    const token = await server.addUser("operator", "viewer");
    await server.admin.apply(AccessGrant, "operator", {
      metadata: { name: "operator" },
      spec: {
        subjects: [{ user: "operator" }],
        clusters: { names: [realClusterName] },
        kubernetes: { groups: ["system:masters"] },
      },
    });
    const visit = await on.signIn({ token });
    const { page, complaints } = visit;
    complaints.expect(/403 \(Forbidden\)|WebSocket/u);
    await visit.open(`${boxPage}?tab=shell`);
    await type(page, "echo ready $((6 * 7))");
    await output(page, "ready 42").waitFor();
    await server.admin.delete(AccessGrant, "operator");
    await page.getByRole("alert").getByText("Your access has ended, and the shell with it").waitFor();
    await expect.poll(() => page.getByText("Connected", { exact: true }).count()).toBe(0);
  });

  test.each([
    ["pods", "core/v1/pods", "Pod"],
    ["deployments.apps", "apps/v1/deployments", "Deployment"],
    ["nodes", "core/v1/nodes", "Node"],
    ["services", "core/v1/services", "Service"],
    ["rolebindings", "rbac.authorization.k8s.io/v1/rolebindings", "RoleBinding"],
    ["boats.example.test", "example.test/v1/boats", "Boat"],
  ])("the table of %s has the columns and cells that kubectl prints", async (resource, path, kind) => {
    const visit = await on.signIn();
    const grid = visit.page.getByRole("grid", { name: kind, exact: true });
    for (const [flags, search] of [
      [[], ""],
      [["--output=wide"], "?wide=true"],
    ] as const) {
      const printed = kubectlRows(await on.kubectl("get", resource, "--all-namespaces", ...flags));
      expect(printed.length).toBeGreaterThan(0);
      await visit.open(`${cluster}/k/${path}${search}`);
      await grid.waitFor();
      await expect.poll(async () => pageRows(await grid.evaluate(gridCells))).toEqual(printed);
    }
  });

  test("a Deployment is changed by what the cluster says would become of it", async () => {
    const visit = await on.signIn();
    const { page, complaints } = visit;
    complaints.expect(/422 \(Unprocessable/u);
    const ofWeb = (path: string): Promise<string> =>
      on.kubectl("get", "deployment", "web", `--output=jsonpath=${path}`);
    await visit.open(`${cluster}/o/apps/v1/deployments/default/web?tab=edit`);
    await visit.replaceEnd(/^ +replicas: 1$/u, "1", "-1");
    await page.getByRole("button", { name: "Review the change" }).click();
    await page
      .getByText(/must be greater than or equal to 0/u)
      .first()
      .waitFor();
    await visit.replaceEnd(/^ +replicas: -1$/u, "-1", "2");
    await page.keyboard.press("Control+s");
    const diff = page.getByLabel("What would change");
    await diff.locator(".cm-deletedChunk").filter({ hasText: "replicas: 1" }).waitFor();
    await diff.locator(".cm-changedLine").filter({ hasText: "replicas: 2" }).waitFor();
    expect(await ofWeb("{.spec.replicas}")).toBe("1");
    await page.getByRole("button", { name: "Write it" }).click();
    await page.getByRole("status").filter({ hasText: "Written." }).waitFor();
    expect(await ofWeb("{.spec.replicas}")).toBe("2");
    await on.kubectl("rollout", "status", "deployment/web", "--timeout=150s");
    expect(await ofWeb("{.metadata.managedFields[*].manager}")).toContain("bowline-console");
  });
});

function rowsOf(page: Page): Locator {
  return page.locator(".xterm-rows > div");
}

/** A line of the terminal that is as a whole what a command wrote, and not the command. */
function output(page: Page, pattern: string): Locator {
  // Between words and behind them are spaces of both kinds.
  const line = new RegExp(`^${pattern.replaceAll(" ", "\\s")}\\s*$`, "u");
  return rowsOf(page).filter({ hasText: line }).first();
}

async function type(page: Page, command: string): Promise<void> {
  await page.getByText("Connected", { exact: true }).waitFor();
  await rowsOf(page).filter({ hasText: /#/u }).first().waitFor();
  await page.locator(".xterm-helper-textarea").focus();
  await page.keyboard.type(`${command}\n`);
}

/** The columns that programs in the shell see, once the rows are those of the terminal on the page. */
async function columnsInShell(page: Page): Promise<number> {
  let [asked, columns] = [0, 0];
  const rowsInShell = async (): Promise<boolean> => {
    asked += 1;
    await type(page, `echo size-${asked} $(stty size)`);
    const told = output(page, `size-${asked} \\d+ \\d+`);
    const [, rows = "", rest = ""] = ((await told.textContent()) ?? "").trim().split(/\s+/u);
    columns = Number(rest);
    return Number(rows) === (await rowsOf(page).count());
  };
  // The size is told beside what is typed, and may come after it.
  await expect.poll(rowsInShell).toBe(true);
  return columns;
}
