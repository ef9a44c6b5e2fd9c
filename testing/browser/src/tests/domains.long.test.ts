import { Cluster, DomainName, Gateway, WorkloadDefinition, WorkloadInstance } from "@bowline/api";
import { expect, test } from "vitest";

import { problemsInBothThemes } from "../browser/accessibility-problems.ts";
import { hostilePayloads, tripped } from "../stage/hostile-cluster.ts";
import { useStageWithoutControllers } from "../stage/use-stage.ts";

const on = useStageWithoutControllers();
const name = "example-test";
const hourMs = 3_600_000;

type Status = DomainName["status"];
type Host = Status["hosts"][number];

async function expose(workload: string, hosts: readonly string[]): Promise<void> {
  const { admin } = on.stage.server;
  const manifests = `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${workload} }\n`;
  await admin.apply(WorkloadDefinition, workload, {
    metadata: { name: workload },
    spec: { source: { inline: { manifests } } },
  });
  await admin.apply(WorkloadInstance, workload, {
    metadata: { name: workload },
    spec: { definition: workload, placement: { clusters: ["edge"] }, actingUser: "admin" },
  });
  await admin.apply(Gateway, workload, {
    metadata: { name: workload },
    spec: { instance: workload, hosts: [...hosts], rules: [{ service: "web", port: 80 }] },
  });
}

async function writeDomain(named = name, domain = "example.test"): Promise<void> {
  await on.stage.server.admin.apply(DomainName, named, {
    metadata: { name: named },
    spec: { domain, provider: "rfc2136", rfc2136: { server: "ns.example.test" }, clusters: ["west", "east"] },
  });
}

interface Told {
  readonly reason: string;
  readonly message?: string;
  readonly active: readonly string[];
}

/** In two clusters, of which the first does not answer. */
function hostAt(nowMs: number, host: string, { reason, message = "", active }: Told): Host {
  const ago = (hours: number): string => new Date(nowMs - (hours + 0.5) * hourMs).toISOString();
  const silent = `${host} does not answer at 192.0.2.10: connection refused.`;
  return {
    host,
    ready: reason === "Reachable" || reason === "FailedOver" ? "True" : "False",
    reason,
    message,
    active: [...active],
    since: ago(14),
    records: active.map((_, index) => `60 A 192.0.2.${20 + index}`),
    place: { provider: "rfc2136", zone: "example.test", server: "ns.example.test" },
    clusters: [
      {
        cluster: "west",
        healthy: "False",
        since: ago(15),
        ...(active.includes("west") ? {} : { lostAt: ago(14) }),
        reason: "NotReachable",
        message: silent,
        addresses: ["192.0.2.10"],
      },
      {
        cluster: "east",
        healthy: "True",
        since: ago(30),
        reason: "Reachable",
        message: "",
        addresses: ["192.0.2.20"],
      },
    ],
  };
}

function statusOf(
  nowMs: number,
  hosts: readonly Host[],
  ready: Pick<Host, "ready" | "reason" | "message">,
): Status {
  const { ready: status, reason, message } = ready;
  const lastTransitionTime = new Date(nowMs).toISOString();
  return {
    conditions: [{ type: "Ready", status, reason, message, lastTransitionTime, observedGeneration: 1 }],
    hosts: [...hosts],
    hostCount: hosts.length,
    readyCount: hosts.filter((host) => host.ready === "True").length,
  };
}

test("the page of a domain name tells which hosts are in trouble, where the others lead, and what to do", async () => {
  const { admin } = on.stage.server;
  await expose("shop", ["shop.example.test", "*.shop.example.test"]);
  await writeDomain();
  const visit = await on.signIn();
  const { page } = visit;
  await visit.open(`/domains/${name}`);
  await page.getByText("No Gateway has a host in it yet, or nobody has looked.").waitFor();
  // What is found is shown as it is found, the worst first.
  const nowMs = Date.now();
  const moved = { reason: "FailedOver", message: "It leads to east, in place of west.", active: ["east"] };
  const foreign = "There are records of somebody else: 60 A 203.0.113.9.";
  const hosts = [
    hostAt(nowMs, "shop.example.test", moved),
    hostAt(nowMs, "*.shop.example.test", { reason: "RecordForeign", message: foreign, active: ["west"] }),
  ];
  const status = statusOf(nowMs, hosts, { ready: "False", reason: "RecordForeign", message: foreign });
  await admin.putStatus(DomainName, name, status);
  const shown = page.getByRole("list", { name: "Hosts" });
  await shown.getByRole("listitem", { name: "*.shop.example.test" }).waitFor();
  const names = await shown.locator("> li").evaluateAll((items) => items.map((item) => item.ariaLabel));
  expect(names).toEqual(["*.shop.example.test", "shop.example.test"]);
  await page
    .getByRole("region", { name: "What needs somebody" })
    .getByText(/What to do: Remove the records that somebody else has/u)
    .waitFor();
  await shown.getByText("Is to lead to west").waitFor();
  await shown.getByText("records are to lead here").waitFor();
  const shop = shown.getByRole("listitem", { name: "shop.example.test", exact: true });
  await shop.getByText("Leads to east for 14h").waitFor();
  await shop.getByText("What to do: Look at the clusters that were lost").waitFor();
  expect(await shop.getByRole("list", { name: "Records of shop.example.test" }).textContent()).toBe(
    "60 A 192.0.2.20",
  );
  await shop.getByText("Written last to example.test at ns.example.test").waitFor();
  const clusters = shop.getByRole("list", { name: "Clusters of shop.example.test" }).getByRole("listitem");
  const [west = "", east = ""] = await clusters.allTextContents();
  expect(west).toMatch(/west.*has not answered for 15h.*taken out of the records 14h ago.*NotReachable/u);
  expect(west).toMatch(/connection refused.*What to do: Look whether the workload runs/u);
  expect(east).toMatch(/east.*has answered for 30h.*records lead here/u);
  const classless = { reason: "ClassMissing", message: "No GatewayClass is accepted there." };
  const unasked = hosts.map((each) => ({
    ...each,
    clusters: each.clusters.map((one) => (one.cluster === "west" ? { ...one, ...classless } : one)),
  }));
  await admin.putStatus(
    DomainName,
    name,
    statusOf(nowMs, unasked, { ready: "False", reason: "RecordForeign", message: foreign }),
  );
  await clusters.first().getByText("cannot be asked").waitFor();
  expect(await clusters.first().textContent()).not.toContain("has not answered");
  expect(await problemsInBothThemes(page)).toEqual([]);
  // A filter that is in the address, and a way to what has the host.
  await page.keyboard.press("/");
  await page.keyboard.type("*.shop");
  await shop.waitFor({ state: "detached" });
  expect(new URL(page.url()).searchParams.get("q")).toBe("*.shop");
  await shown.getByRole("link", { name: "Gateways of *.shop.example.test" }).click();
  await visit.heading("Gateways").waitFor();
  await page.getByRole("row", { name: /shop/u }).click();
  // The Gateway says the same of its hosts, and leads back.
  await visit.heading("shop").waitFor();
  const ofGateway = page.getByRole("region", { name: "Hosts" }).getByRole("listitem");
  await ofGateway.filter({ hasText: "RecordForeign" }).waitFor();
  const [first = "", second = ""] = await ofGateway.allTextContents();
  expect(first).toMatch(/^shop\.example\.test.*Records by example-test.*lead to east for 14h.*FailedOver/u);
  expect(second).toMatch(/^\*\.shop\.example\.test.*are to lead to west.*RecordForeign/u);
  expect(await problemsInBothThemes(page)).toEqual([]);
  await page.getByRole("link", { name }).first().click();
  await visit.heading(name).waitFor();
});

test("a domain name is edited after the server has looked at the change, and deleted by its name", async () => {
  const { admin } = on.stage.server;
  await writeDomain("second", "second.test");
  const visit = await on.signIn();
  const { page } = visit;
  await visit.open("/domains/second?tab=yaml");
  await page.getByRole("button", { name: "Edit" }).click();
  await visit.replaceEnd(/domain: second\.test$/u, "second.test", "third.test");
  await page.getByRole("button", { name: "Review the change" }).click();
  await page.locator(".cm-deletedChunk").filter({ hasText: "domain: second.test" }).waitFor();
  expect((await admin.get(DomainName, "second")).spec.domain).toBe("second.test");
  await page.getByRole("button", { name: "Write it" }).click();
  await page.getByRole("status").filter({ hasText: "Written." }).waitFor();
  expect((await admin.get(DomainName, "second")).spec.domain).toBe("third.test");
  await page.getByRole("button", { name: "Delete" }).click();
  const confirm = page.getByRole("dialog", { name: "Delete second" });
  await confirm.getByText(/are removed from third\.test/u).waitFor();
  expect(await problemsInBothThemes(page)).toEqual([]);
  await confirm.getByRole("textbox").fill("second");
  await confirm.getByRole("button", { name: "Delete the domain name" }).click();
  await visit.heading("Domain names").waitFor();
  await expect(admin.get(DomainName, "second")).rejects.toMatchObject({ code: "NotFound" });
});

test("the list has what is in trouble first, and is gone to and filtered by keys", async () => {
  const { admin } = on.stage.server;
  const nowMs = Date.now();
  const wanted = [
    ["a-well", "a.test", "True", "Reachable"],
    ["b-moved", "b.test", "True", "FailedOver"],
    ["c-down", "c.test", "False", "NoHealthyCluster"],
  ] as const;
  for (const [each, domain, ready, reason] of wanted) {
    await writeDomain(each, domain);
    const host = hostAt(nowMs, `www.${domain}`, { reason, active: ["east"] });
    await admin.putStatus(DomainName, each, statusOf(nowMs, [host], { ready, reason, message: "" }));
  }
  const visit = await on.signIn();
  const { page } = visit;
  await visit.pressBoth("g", "d");
  await visit.heading("Domain names").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type(".test www !example");
  await page.keyboard.press("Escape");
  // Hosts are no columns; the domain and the clusters are.
  await page.getByText(/hidden by the filter/u).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type(".test east !example");
  const rows = page.getByRole("row", { name: /[abc]\.test/u });
  await rows.nth(2).waitFor();
  const names = (await rows.allTextContents()).map((text) => /[abc]-(?:well|moved|down)/u.exec(text)?.[0]);
  expect(names).toEqual(["c-down", "b-moved", "a-well"]);
  await page.getByRole("gridcell", { name: "east (1)" }).first().waitFor();
  expect(await problemsInBothThemes(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("row", { name: /b-moved/u }).focus();
  await page.keyboard.press("Enter");
  await visit.heading("b-moved").waitFor();
  // Back by the palette, as from everywhere.
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").waitFor();
  await page.keyboard.type("domain na");
  await page.getByRole("option", { name: /Domain names/u }).waitFor();
  await page.keyboard.press("Enter");
  await visit.heading("Domain names").waitFor();
});

test("the page of a cluster has the hosts that lead to it, and those that it has lost", async () => {
  const { admin } = on.stage.server;
  await admin.apply(Cluster, "west", { metadata: { name: "west" }, spec: { provider: "existing" } });
  await writeDomain();
  const nowMs = Date.now();
  const hosts = [
    hostAt(nowMs, "shop.example.test", { reason: "FailedOver", active: ["east"] }),
    hostAt(nowMs, "pay.example.test", { reason: "NotReachable", active: ["west"] }),
  ];
  const ready = { ready: "False", reason: "NotReachable", message: "" } as const;
  await admin.putStatus(DomainName, name, statusOf(nowMs, hosts, ready));
  const visit = await on.signIn();
  const { page } = visit;
  await visit.open("/c/west");
  const here = page.getByRole("region", { name: "Hosts" });
  const line = (host: string) => here.getByRole("listitem").filter({ hasText: host });
  await line("shop.example.test").getByText("lost 14h ago, leads to east now").waitFor();
  await line("pay.example.test").getByText("leads here for 14h, and does not answer").waitFor();
  expect(await problemsInBothThemes(page)).toEqual([]);
  await here.getByRole("link", { name: "shop.example.test" }).click();
  await visit.heading(name).waitFor();
  await page.getByRole("listitem", { name: "shop.example.test", exact: true }).waitFor();
  expect(await page.getByRole("listitem", { name: "pay.example.test" }).count()).toBe(0);
});

test("what clusters and name servers say is only ever text, and many hosts and records are shown when asked for", async () => {
  const { admin } = on.stage.server;
  await writeDomain("hostile", "hostile.test");
  const nowMs = Date.now();
  const payloads = hostilePayloads.map((payload) => payload.slice(0, 1_000).toWellFormed());
  const messages = [...payloads, ...Array.from({ length: 25 - payloads.length }, () => "It is tried again.")];
  const hosts = messages.map((message, index): Host => {
    const host = hostAt(nowMs, `h${index}.hostile.test`, {
      reason: "RecordPending",
      message,
      active: ["east"],
    });
    const records = index === 0 ? Array.from({ length: 1_000 }, (_, each) => `60 A 192.0.2.${each}`) : [];
    return { ...host, records, clusters: host.clusters.map((each) => ({ ...each, message })) };
  });
  const ready = {
    ready: "False",
    reason: "RecordPending",
    message: payloads.join(" ").slice(0, 4_000),
  } as const;
  await admin.putStatus(DomainName, "hostile", statusOf(nowMs, hosts, ready));
  const visit = await on.signIn();
  const { page } = visit;
  for (const path of ["/domains", "/domains/hostile", "/domains/hostile?tab=yaml", "/c/east"]) {
    await visit.open(path);
    await visit.heading(/./u).waitFor();
    await page
      .getByText(/RecordPending|There is no cluster/u)
      .first()
      .waitFor();
    expect(await page.evaluate(`globalThis.${tripped}`)).toBeUndefined();
    const text = await page.evaluate<string>("document.documentElement.outerHTML");
    expect(text).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u200B]/u);
    expect(text.includes("\u001B")).toBe(false);
    expect(text).not.toMatch(/href="(?!https?:|\/|#)/u);
  }
  await visit.open("/domains/hostile");
  const shown = page.getByRole("listitem", { name: /hostile\.test$/u });
  await shown.nth(19).waitFor();
  expect(await shown.count()).toBe(20);
  await page.getByRole("button", { name: "Show 5 more of 25" }).click();
  await shown.nth(24).waitFor();
  await visit.open("/domains/hostile?q=h0.");
  const records = page.getByRole("list", { name: "Records of h0.hostile.test" }).getByRole("listitem");
  await records.first().waitFor();
  expect(await records.count()).toBe(10);
  await page.getByRole("button", { name: "Show 990 more records" }).click();
  await records.nth(999).waitFor();
});

test("whoever is no admin reads domain names, and is told why they change none", async () => {
  await writeDomain();
  const token = await on.stage.server.addUser("writer", "editor");
  const visit = await on.signIn({ token });
  const { page } = visit;
  await visit.open(`/domains/${name}?tab=yaml`);
  await page.getByRole("button", { name: "Edit", disabled: true }).focus();
  await page.getByRole("tooltip").filter({ hasText: "Only admins change domain names" }).waitFor();
  await page.getByRole("button", { name: "Delete", disabled: true }).focus();
  await page.keyboard.press("Enter");
  expect(await page.getByRole("dialog").count()).toBe(0);
});
