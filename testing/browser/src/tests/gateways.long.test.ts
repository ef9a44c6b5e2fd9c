import { Gateway, WorkloadDefinition, WorkloadInstance } from "@bowline/api";
import { expect, test } from "vitest";

import { problemsInBothThemes } from "../browser/accessibility-problems.ts";
import { useStageWithoutControllers } from "../stage/use-stage.ts";

const on = useStageWithoutControllers();
const name = "shop";
const dayMs = 86_400_000;

async function deployShop(): Promise<void> {
  const { admin } = on.stage.server;
  const manifests = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: shop }\n";
  await admin.apply(WorkloadDefinition, name, {
    metadata: { name },
    spec: { source: { inline: { manifests } } },
  });
  await admin.apply(WorkloadInstance, name, {
    metadata: { name },
    spec: { definition: name, placement: { clusters: ["edge"] }, actingUser: "admin" },
  });
}

type Status = Gateway["status"];

/** In two clusters: one that has everything, and one whose record is missing, with a certificate that ends soon. */
function statusAt(nowMs: number): Status {
  const yes = (type: Status["clusters"][number]["checks"][number]["type"]) =>
    ({ type, status: "True", reason: type, message: "" }) as const;
  const message = "There is no DNS record for shop.example.test; it has to lead to 192.0.2.10.";
  const trouble = { reason: "RecordPending", message } as const;
  const condition = { type: "Ready", status: "False", ...trouble } as const;
  const checks = (["Class", "Certificate", "Listener", "Route"] as const).map(yes);
  return {
    conditions: [{ ...condition, lastTransitionTime: new Date(nowMs).toISOString(), observedGeneration: 1 }],
    clusters: [
      {
        cluster: "west",
        ready: "False",
        ...trouble,
        class: "nginx",
        addresses: ["192.0.2.10"],
        certificateNotAfter: new Date(nowMs + 5.5 * dayMs).toISOString(),
        // Not in their order: the page has it.
        checks: [{ type: "Record", status: "False", ...trouble }, ...checks],
      },
      {
        cluster: "east",
        ready: "True",
        reason: "Reachable",
        message: "",
        addresses: ["192.0.2.20", "192.0.2.21"],
        certificateNotAfter: new Date(nowMs + 60.5 * dayMs).toISOString(),
        checks: [...checks, yes("Record"), yes("Reachable")],
      },
    ],
    clusterCount: 2,
    readyCount: 1,
  };
}

test("a workload is exposed, its gateway tells check by check how far it is, and is edited and deleted", async () => {
  await deployShop();
  const { admin } = on.stage.server;
  const visit = await on.signIn();
  const { page, complaints } = visit;
  complaints.expect(/422 \(Unprocessable|412 \(Precondition/u);
  await visit.open(`/workloads/${name}`);
  await page.getByRole("button", { name: "Expose" }).click();
  const dialog = page.getByRole("dialog", { name: "Expose shop" });
  await dialog.getByLabel("Host names").fill("Shop.example.test");
  await dialog.getByLabel("Port").fill("http");
  await dialog.getByRole("button", { name: "Expose it" }).click();
  await dialog.getByRole("alert").filter({ hasText: "2 fields are not right yet." }).waitFor();
  expect(await dialog.getByLabel("Host names").getAttribute("aria-invalid")).toBe("true");
  expect(await dialog.getByLabel("Port").getAttribute("aria-invalid")).toBe("true");
  expect(await problemsInBothThemes(page)).toEqual([]);
  await dialog.getByLabel("Host names").fill("shop.example.test, *.shop.example.test");
  await dialog.getByLabel("Port").fill("8080");
  await dialog.getByLabel("Service").fill("web");
  await dialog.getByRole("button", { name: "Expose it" }).click();
  await page.getByText("It is in no cluster yet").waitFor();
  expect((await admin.get(Gateway, name)).spec).toMatchObject({
    instance: name,
    hosts: ["shop.example.test", "*.shop.example.test"],
    rules: [{ path: "/", service: "web", port: 8080 }],
    tls: { mode: "terminate" },
  });
  // What is found is shown as it is found.
  await admin.putStatus(Gateway, name, statusAt(Date.now()));
  const west = page.getByRole("list", { name: "Checks in west" });
  await west.waitFor();
  const checks = await west.getByRole("listitem").allTextContents();
  expect(checks.map((text) => /Class|Certificate|Listener|Route|Record/u.exec(text)?.[0])).toEqual([
    "Class",
    "Certificate",
    "Listener",
    "Route",
    "Record",
  ]);
  expect(checks.at(-1)).toMatch(
    /no: DNS leads to the entry.*RecordPending.*it has to lead to 192\.0\.2\.10/u,
  );
  await page.getByText(/Certificate until .*, 5 days left/u).waitFor();
  await page.getByText(/Certificate until .*, 60 days left/u).waitFor();
  expect(await page.getByText("Warning:").count()).toBe(1);
  await page
    .getByRole("region", { name: "Why it does not answer" })
    .getByText(/Make the DNS record/u)
    .waitFor();
  const open = page.getByRole("link", { name: /^shop\.example\.test/u });
  expect(await open.getAttribute("href")).toBe("https://shop.example.test/");
  expect(await open.getAttribute("rel")).toBe("noopener noreferrer");
  // Nobody can open a name that stands for many.
  expect(await page.getByRole("link", { name: /^\*\.shop/u }).count()).toBe(0);
  expect(await problemsInBothThemes(page)).toEqual([]);
  // From there to the workload and back.
  await page.getByRole("link", { name: "Workload shop" }).click();
  await page.getByRole("region", { name: "Gateways" }).getByRole("link", { name: "Gateway shop" }).click();
  await west.waitFor();
  // Its text, tried before it is written.
  await page.getByRole("link", { name: "YAML" }).click();
  await page.getByRole("button", { name: "Edit" }).click();
  await visit.replaceEnd(/port: 8080$/u, "8080", "9090");
  await page.getByRole("button", { name: "Review the change" }).click();
  await page.locator(".cm-deletedChunk").filter({ hasText: "port: 8080" }).waitFor();
  expect((await admin.get(Gateway, name)).spec.rules[0]?.port).toBe(8080);
  // What is found meanwhile is no change of somebody else's.
  await admin.putStatus(Gateway, name, { ...statusAt(Date.now()), readyCount: 0 });
  await page.getByRole("button", { name: "Write it" }).click();
  await page.getByRole("status").filter({ hasText: "Written." }).waitFor();
  expect((await admin.get(Gateway, name)).spec.rules[0]?.port).toBe(9090);
  await page.getByRole("button", { name: "Delete" }).click();
  const confirm = page.getByRole("dialog", { name: "Delete shop" });
  await confirm.getByRole("textbox").fill(name);
  await confirm.getByRole("button", { name: "Delete the gateway" }).click();
  await visit.heading("Gateways").waitFor();
  await expect(admin.get(Gateway, name)).rejects.toMatchObject({ code: "NotFound" });
});

test("the list has filter and order in its address, and hosts to open beside the way to each", async () => {
  const { admin } = on.stage.server;
  await deployShop();
  for (const each of ["first", "second"]) {
    await admin.apply(Gateway, each, {
      metadata: { name: each },
      spec: {
        instance: name,
        hosts: [`${each}.example.test`],
        rules: [{ service: "web", port: 80 }],
        tls: { mode: "none" },
      },
    });
  }
  const visit = await on.signIn();
  const { page } = visit;
  await visit.pressBoth("g", "h");
  await visit.heading("Gateways").waitFor();
  await page.getByRole("row", { name: /second/u }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("first");
  await page.getByRole("row", { name: /second/u }).waitFor({ state: "detached" });
  expect(new URL(page.url()).searchParams.get("q")).toBe("first");
  const host = page
    .getByRole("row", { name: /first/u })
    .getByRole("link", { name: /^first\.example\.test/u });
  expect(await host.getAttribute("href")).toBe("http://first.example.test/");
  expect(await problemsInBothThemes(page)).toEqual([]);
  await page.getByRole("row", { name: /first/u }).click();
  await visit.heading("first").waitFor();
});

test("however many hosts a gateway has, its row is as high as the others", async () => {
  const { admin } = on.stage.server;
  await deployShop();
  const hosts = Array.from({ length: 6 }, (_, index) => `a-name-that-is-rather-long-${index}.example.test`);
  await admin.apply(Gateway, "many", {
    metadata: { name: "many" },
    spec: { instance: name, hosts, rules: [{ service: "web", port: 80 }] },
  });
  const visit = await on.signIn();
  const { page } = visit;
  await visit.open("/gateways");
  const row = page.getByRole("row", { name: /many/u });
  await row.getByText("+5 more").waitFor();
  const { rowHeight, cellHeight } = await row.evaluate((element) => ({
    rowHeight: element.clientHeight,
    cellHeight: Math.max(...[...element.children].map((cell) => cell.scrollHeight)),
  }));
  expect(cellHeight).toBeLessThanOrEqual(rowHeight);
  // They are found by any of them.
  await page.keyboard.press("/");
  await page.keyboard.type("long-4");
  await row.waitFor();
  await page.getByRole("row", { name: /first/u }).waitFor({ state: "detached" });
  expect(await problemsInBothThemes(page)).toEqual([]);
});

test("a viewer reads gateways, and is told why they change none", async () => {
  await deployShop();
  const token = await on.stage.server.addUser("looker", "viewer");
  const visit = await on.signIn({ token });
  const { page } = visit;
  await visit.open(`/workloads/${name}`);
  await page.getByRole("button", { name: "Expose", disabled: true }).waitFor();
  await page.getByRole("button", { name: "Delete", disabled: true }).waitFor();
  await visit.open("/gateways/first?tab=yaml");
  await page.getByRole("button", { name: "Edit", disabled: true }).focus();
  await page.getByRole("tooltip").filter({ hasText: "only editors and admins change gateways" }).waitFor();
  await page.getByRole("button", { name: "Delete", disabled: true }).waitFor();
  await page.getByRole("button", { name: "Delete", disabled: true }).focus();
  await page.keyboard.press("Enter");
  expect(await page.getByRole("dialog").count()).toBe(0);
  // On a phone, too, all of it is seen, wherever the button is.
  const width = 390;
  await page.setViewportSize({ width, height: 844 });
  await visit.open(`/workloads/${name}`);
  await page.getByRole("button", { name: "Expose", disabled: true }).hover();
  const reason = await page.getByRole("tooltip").filter({ hasText: "editors and admins" }).boundingBox();
  expect(reason?.x).toBeGreaterThanOrEqual(0);
  expect((reason?.x ?? 0) + (reason?.width ?? width)).toBeLessThanOrEqual(width);
});
