import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { createTempFolder } from "@bowline/test-services";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { GraphBench } from "../../testing/graph-bench.ts";
import { shopImage } from "../../testing/shop-objects.ts";
import type { Ran } from "../../testing/run-bowline.ts";

let bench: GraphBench;

beforeAll(async () => {
  bench = await GraphBench.open();
});

afterAll(() => bench[Symbol.asyncDispose]());

const graph = (line: string): Promise<Ran> => bench.bowline(["graph", ...line.split(" ")]);
const linesOf = ({ out }: Ran): string[] => out.trimEnd().split("\n");

describe("uses", () => {
  test("tells who reads a Secret, and through which field", async () => {
    const ran = await graph("uses secret/shop/db --cluster edge");
    expect(ran).toMatchObject({ code: 0, error: "" });
    expect(linesOf(ran)).toEqual([
      "CLUSTER   USER             OWNED-BY   FIELD",
      "edge      pod/shop/web-1   <none>     /spec/containers/0/env/0/valueFrom/secretKeyRef",
      "edge      pod/shop/web-2   <none>     /spec/containers/0/env/0/valueFrom/secretKeyRef",
    ]);
    const wide = await graph("uses secret db -n shop --cluster edge -o wide --no-headers");
    expect(linesOf(wide)[0]).toMatch(/ container app of Pod shop\/web-1 reads Secret shop\/db \(/u);
    expect((await graph("uses sa/shop/web --cluster edge -o name")).out).toBe(
      "pod/shop/web-1\npod/shop/web-2\n",
    );
  });

  test("says what was not observed, and what is referred to and is not there", async () => {
    const ran = await graph("uses secret/shop/missing");
    expect(ran.code).toBe(0);
    expect(linesOf(ran)[1]).toMatch(/^edge +pod\/shop\/job-1 +<none> +\/spec\/containers\/0\/envFrom/u);
    expect(ran.error).toContain("secret/shop/missing was not observed: it is referred to, but");
    const everywhere = await graph("uses secret/shop/nothing");
    expect(everywhere).toMatchObject({ code: 1, out: "" });
    const json = await graph("uses secret/shop/db -o json --cluster edge");
    expect(json.error).toBe("");
    expect(JSON.parse(json.out)).toMatchObject({ clusters: ["edge"], data: { found: true, total: 2 } });
  });

  test("says that nothing uses it, that there is none, and what is wrong with a name", async () => {
    expect(await graph("uses secret/shop/old --cluster edge")).toMatchObject({
      code: 0,
      out: "",
      error: "Nothing uses secret/shop/old.\n",
    });
    expect(await graph("uses secret/shop/zz --cluster edge")).toMatchObject({
      code: 1,
      error: "error: There is no secret/shop/zz in edge.\n",
    });
    const then = await graph("uses secret/shop/db --cluster edge --at 2026-01-01");
    expect(then.error).toMatch(/^error: There is no secret\/shop\/db in edge at \d{4}-/u);
    expect((await graph("uses secret/db")).code).toBe(2);
    expect((await graph("uses secret/shop/db --at yesterday")).code).toBe(2);
  });
});

describe("blast-radius", () => {
  test("tells who depends on something, and where one gets from it", async () => {
    const ran = await graph("blast-radius pod/shop/web-1 --cluster edge");
    expect(ran).toMatchObject({ code: 0, error: "" });
    expect(ran.out).toMatch(
      /^Depends on pod\/shop\/web-1:\nHOP +CLUSTER +NAME +BECAUSE\n1 +edge +service\/shop\/web /u,
    );
    expect(ran.out).toMatch(/\n\nReached from pod\/shop\/web-1:\nHOP /u);
    expect(ran.out).toMatch(
      /\n3 +edge +clusterrole\/secret-reader +ClusterRoleBinding web-reads-secrets grants/u,
    );
    expect(ran.out).toContain(`image/${shopImage.digest}`);
    expect((await graph("blast-radius node/none --cluster edge")).error).toBe(
      "error: There is no node/none in edge.\n",
    );
  });
});

describe("around", () => {
  test("tells what an object has to do with, each with the edge that leads nearer", async () => {
    const ran = await graph("around pod/shop/web-1 --cluster edge --depth 1");
    expect(ran).toMatchObject({ code: 0, error: "" });
    expect(ran.out).toMatch(/^HOP +CLUSTER +NAME +TROUBLE +BECAUSE\n0 +edge +pod\/shop\/web-1\n/u);
    expect(ran.out).toMatch(/\n1 +edge +service\/shop\/web +Service shop\/web selects Pod shop\/web-1/u);
    const rights = await graph("around pod/shop/web-1 --cluster edge --edges RUNS_AS,BINDS,GRANTS --depth 3");
    expect(rights.out).toMatch(/\n3 +edge +clusterrole\/secret-reader/u);
    expect(rights.out).not.toContain("service/shop/web");
    expect((await graph("around pod/shop/web-1 --depth 4")).code).toBe(2);
    expect((await graph("around pod/shop/none --cluster edge")).error).toContain("There is no pod/shop/none");
  });
});

describe("path", () => {
  test("is told hop by hop, with the field of each and what to cut", async () => {
    const ran = await graph("path svc/shop/web clusterrole/secret-reader --cluster edge");
    expect(ran).toMatchObject({ code: 0, error: "" });
    expect(linesOf(ran)).toEqual([
      "edge: service/shop/web → clusterrole/secret-reader: 4 hops, the first of 2 that are as short",
      "  1. Service shop/web selects Pod shop/web-1 (/spec/selector)",
      "  2. Pod shop/web-1 runs as ServiceAccount shop/web (/spec/serviceAccountName)",
      "  3. ClusterRoleBinding web-reads-secrets binds ServiceAccount shop/web (/subjects/0)",
      "  4. ClusterRoleBinding web-reads-secrets grants ClusterRole secret-reader (/roleRef)",
      "Cut: hop 3. ClusterRoleBinding web-reads-secrets binds ServiceAccount shop/web (/subjects/0): without it every path is gone.",
    ]);
  });

  test("back is shown where none leads there, and none is a sentence", async () => {
    const back = await graph("path -n shop secret/db svc/web --cluster edge -o wide");
    expect(linesOf(back).slice(0, 3)).toEqual([
      "No path leads there, but one leads back.",
      "edge: service/shop/web → secret/shop/db: 3 hops, the first of 4 that are as short",
      "  1. Service shop/web selects Pod shop/web-1 (/spec/selector)",
    ]);
    expect(await graph("path secret/shop/db cm/shop/settings --cluster edge")).toMatchObject({
      code: 0,
      out: "",
      error: "No path leads from secret/shop/db to configmap/shop/settings, nor back.\n",
    });
    const names = await graph("path svc/shop/web secret/shop/db --cluster edge -o name");
    expect(names.out).toBe(
      "service/shop/web\npod/shop/web-1\ncontainer/shop/web-1/containers/app\nsecret/shop/db\n",
    );
    expect((await graph("path svc/shop/none secret/shop/db --cluster edge")).code).toBe(1);
  });
});

describe("who-can", () => {
  test("tells whom rules let do it, the pods that run as them, and the people who become them", async () => {
    const ran = await graph("who-can get secret -n shop --name db --cluster edge");
    expect(ran).toMatchObject({ code: 0, error: "" });
    expect(ran.out).toMatch(
      /\nedge +serviceaccount\/shop\/web +<everywhere> +get,list secrets +clusterrole\/secret-reader \/rules\/0 +clusterrolebinding\/web-reads-secrets\n/u,
    );
    expect(ran.out).toMatch(
      /\nedge +serviceaccount\/shop\/web +serviceaccount\/shop\/web +pod\/shop\/web-1,pod\/shop\/web-2\n/u,
    );
    expect(ran.out).toMatch(/\nedge +user admin +all +group\/system:masters +<everywhere>\n$/u);
    expect((await graph("who-can create po/exec --cluster edge -o name")).out).toBe("group/system:masters\n");
    expect((await graph("who-can get /metrics --cluster edge")).out).toContain("/rules/1");
  });

  test("warns of a resource that nobody knows, which wildcards allow all the same", async () => {
    const ran = await graph("who-can get nonsense --cluster edge -o name");
    expect(ran).toMatchObject({ code: 0, out: "group/system:masters\n" });
    expect(ran.error).toMatch(/^Warning: No resource nonsense is known: /u);
    expect(await graph("who-can impersonate users --cluster edge -o name")).toMatchObject({ error: "" });
  });
});

describe("what-can", () => {
  test.each(["sa/shop/web", "serviceaccount:shop/web", "user:system:serviceaccount:shop:web"])(
    "tells the rules of %s",
    async (subject) => {
      const ran = await graph(`what-can ${subject} --cluster edge`);
      expect(ran).toMatchObject({ code: 0, error: "" });
      expect(ran.out).toMatch(
        /^May do:\nCLUSTER +WHERE +RULE +ROLE +BINDING\nedge +<everywhere> +get,list secrets +/u,
      );
    },
  );

  test("tells whom somebody becomes, and refuses what is nobody", async () => {
    const { out } = await graph("what-can group:system:masters --cluster edge");
    expect(out).toMatch(/\nCan become:\nCLUSTER +STEP\nedge +Group system:masters can impersonate /u);
    expect(out).toMatch(/\nMay do everything, or can get there, in:\nedge\n$/u);
    expect((await graph("what-can somebody")).code).toBe(2);
    expect((await graph("what-can sa:shop")).error).toContain(
      "«sa:shop» is nobody: write user:NAME, group:NAME",
    );
  });
});

describe("export", () => {
  test("writes the graph to standard output, or whole into a file", async () => {
    expect((await graph("export --cluster edge --dot")).out).toMatch(
      /digraph bowline \{[^]*"edge\/Secret\/shop\/db"[^]*\}\n/u,
    );
    expect((await graph("export --cluster edge --cypher")).out).toContain("MERGE (n:Bowline {key: row.key})");
    await using folder = await createTempFolder("export");
    const file = join(folder.path, "edge.json");
    expect(await graph(`export --cluster edge --json -f ${file}`)).toMatchObject({
      code: 0,
      out: "",
      error: "",
    });
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ withheld: 0 });
    expect(await readdir(folder.path)).toEqual(["edge.json"]);
  });

  test.each([
    ["export --cluster edge", 2, "Choose one of --cypher, --json, --dot and --neo4j URL."],
    ["export --cluster edge --json --dot", 2, "Choose one of"],
    ["export --json", 2, "--cluster <NAME>"],
    ["export --json --cluster none", 1, "There is no cluster named none."],
    ["export --cluster edge --neo4j bolt://127.0.0.1:1 -f x", 2, "Leave out --file"],
    ["export --cluster edge --neo4j http://127.0.0.1:1", 2, "Neo4j cannot be reached by that address"],
  ])("%s is refused", async (line, code, sentence) => {
    const ran = await graph(line);
    expect(ran).toMatchObject({ code, out: "" });
    expect(ran.error).toContain(sentence);
  });
});

describe("images", () => {
  test("are told by digest, with who runs them where", async () => {
    const ran = await graph("images --cluster edge");
    expect(ran).toMatchObject({ code: 0, error: "" });
    expect(linesOf(ran)).toEqual([
      "REFERENCE               DIGEST                CONTAINERS   CLUSTERS   WORKLOADS",
      "example.test/shop:1.4   sha256:111111111111   3            edge       pod/shop/job-1,pod/shop/web-1 and 1 more",
    ]);
    const name = (await graph("images shop --cluster edge -o name")).out;
    expect(name).toBe(`image/${shopImage.digest}\n`);
    for (const image of [name.trim(), `image ${shopImage.reference}`, "image/shop:1.4"]) {
      expect((await graph(`uses ${image} -o name`)).out).toBe(
        "pod/shop/job-1\npod/shop/web-1\npod/shop/web-2\n",
      );
    }
    expect((await graph("images none --cluster edge")).error).toBe(
      "No image that runs has «none» in its reference or digest.\n",
    );
  });
});

describe("orphans", () => {
  test("are what nobody uses, and what is used and not there", async () => {
    const ran = await graph("orphans --cluster edge");
    expect(ran.code).toBe(0);
    expect(ran.out).toMatch(
      /^Nobody uses:\nCLUSTER +NAME +NOTE\nedge +secret\/shop\/old\n\nReferred to, and not there:\n/u,
    );
    expect(ran.out).toMatch(
      /\nedge +secret\/shop\/missing +container\/shop\/job-1\/containers\/job +\/spec\/c/u,
    );
    expect((await graph("orphans --cluster edge -o name")).out).toBe("secret/shop/old\n");
    expect((await graph("orphans -n none --cluster edge")).error).toBe(
      "Everything is used, and everything that is used is there.\n",
    );
    expect((await graph("orphans")).error).toMatch(/^Not observed in dark: .* and \d+ more kinds \(/mu);
  });
});

describe("audit", () => {
  test("tells the worst first, with its place, evidence and id", async () => {
    const ran = await graph("audit --cluster edge");
    expect(ran.code).toBe(0);
    const [headers, first, second] = linesOf(ran);
    expect(headers).toMatch(/^SEVERITY +CLUSTER +PLACE +FINDING +EVIDENCE +ID$/u);
    expect(first).toMatch(
      /^critical +edge +pod\/shop\/job-1 +A container is privileged.*securityContext\/privileged +Privileged\/edge/u,
    );
    expect(second).toMatch(
      /^high +edge +clusterrolebinding\/web-reads-secrets .* read every Secret.*\/rules\/0 +WideAccess/u,
    );
    expect(ran.error).toMatch(/^Left out: \d+ that belong to Kubernetes itself; --system shows them\.\n$/u);
    expect((await graph("audit --cluster edge --system")).out).toContain("clusterrole/cluster-admin");
  });

  test("fails only where it is told to", async () => {
    expect((await graph("audit --cluster edge --fail-on high --severity critical")).code).toBe(1);
    expect((await graph("audit -n none --cluster edge --fail-on low")).code).toBe(0);
    expect((await graph("audit -n none --cluster edge --severity high")).error).toContain(
      "Nothing was found that is high or worse.\n",
    );
    expect((await graph("audit --fail-on bad")).code).toBe(2);
  });
});

describe("exposure", () => {
  test("tells which Secrets can be read from behind what is reached from outside, and how", async () => {
    const ran = await graph("exposure --cluster edge");
    expect(ran).toMatchObject({ code: 0, error: "" });
    expect(linesOf(ran)[1]).toMatch(
      /^critical +edge +service\/shop\/web +LoadBalancer +secret\/shop\/db +3 .* Exposure\/edge\/Service\/shop\/web\/Secret\/shop\/db$/u,
    );
    const wide = await graph("exposure --cluster edge -o wide");
    expect(wide.out).toMatch(
      /critical: edge: service\/shop\/web \(LoadBalancer\) → secret\/shop\/old\n {2}1\. Service shop\/web selects .*\n.*\n {2}3\. ServiceAccount shop\/web can read Secret shop\/old: the rule "get,list secrets" .*\nCut: ClusterRoleBinding web-reads-secrets binds /u,
    );
    expect(wide.out).toMatch(
      /\nCut all 3:\n(?: {2}- container app of .* reads Secret shop\/db .*\n| {2}- volume .* reads Secret shop\/db .*\n){2} {2}- ClusterRoleBinding web-reads-secrets binds .*\n/u,
    );
    expect((await graph("exposure --cluster edge --fail-on low")).code).toBe(1);
    expect(await graph("exposure --cluster edge -n none --fail-on low")).toMatchObject({
      code: 0,
      error: "No Secret can be read from behind a Service that is reached from outside.\n",
    });
  });
});

describe("search", () => {
  test("finds things of all clusters, the best first, and says how many more there are", async () => {
    const ran = await bench.bowline(["search", "WEB", "--cluster", "edge"]);
    expect(ran).toMatchObject({ code: 0, error: "" });
    expect(linesOf(ran).slice(0, 2)).toEqual([
      "CLUSTER   NAME                                   FOUND-IN   TEXT",
      "edge      service/shop/web                       name       web",
    ]);
    const pods = await bench.bowline(["search", "web", "--kind", "po", "--limit", "1", "--cluster", "edge"]);
    expect(pods.out).toMatch(/\nedge +pod\/shop\/web-1 /u);
    expect(pods.error).toBe("Showing the best 1 of 2; --limit shows more.\n");
    const none = await bench.bowline(["search", "zz\u001B[2J", "--cluster", "edge"]);
    expect(none).toMatchObject({ code: 2, out: "" });
    expect((await bench.bowline(["search", "zzz", "--cluster", "edge"])).error).toBe(
      "Nothing has «zzz» in its name, labels, images, IP addresses or uid.\n",
    );
  });
});

describe("what is not there", () => {
  test.each([
    [
      "uses secret/shop/dbb --cluster edge",
      "There is no secret/shop/dbb in edge. Did you mean secret/shop/db?",
    ],
    [
      "uses secret/other/db --cluster edge",
      "There is no secret/other/db in edge. Did you mean secret/shop/db?",
    ],
    ["uses cm/shop/setings --cluster edge", "Did you mean configmap/shop/settings?"],
    ["uses secret/shop/zz", "There is no secret/shop/zz in any cluster; not everything is observed in dark."],
    ["uses secret/shop/db --cluster none", "There is no cluster named none."],
  ])("%s: %s", async (line, sentence) => {
    const ran = await graph(line);
    expect(ran).toMatchObject({ code: 1, out: "" });
    expect(ran.error).toContain(sentence);
  });
});

test("kinds, namespaces and names of clusters are completed", async () => {
  const completed = async (line: string): Promise<string> => (await bench.bowline(["__complete", line])).out;
  expect(await completed("bowline graph uses secret/sh")).toBe("secret/shop/\n");
  expect(await completed("bowline graph uses secret/shop/d")).toBe("secret/shop/db\n");
  expect(await completed("bowline graph path svc/shop/web clusterrole/secret-r")).toBe(
    "clusterrole/secret-reader\n",
  );
});

test("what came and went between two times is told, without what came with it", async () => {
  const { api } = bench.cluster;
  const { metadata } = api.create("configmaps", {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "new", namespace: "shop" },
  });
  await expect.poll(async () => (await graph("uses cm/shop/new --cluster edge")).code).toBe(0);
  const created = await graph("diff 1h -n shop --cluster edge");
  expect(created.code).toBe(0);
  expect(created.out).toMatch(
    /^Objects:\nCHANGE +CLUSTER +NAME +WHAT\n(?:.*\n)*came +edge +configmap\/shop\/new\n/u,
  );
  expect(created.out).not.toContain("container/shop");
  expect((await graph("diff 1h -n shop --cluster edge -o wide")).out).toContain(
    "container/shop/web-1/containers/app",
  );
  const before = new Date().toISOString();
  api.delete("configmaps", "shop", metadata.name);
  await expect.poll(async () => (await graph("uses cm/shop/new --cluster edge")).code).toBe(1);
  expect((await graph(`diff ${before} --cluster edge --no-headers`)).out).toMatch(
    /^Objects:\nwent +edge +configmap\/shop\/new\n/u,
  );
  expect((await graph(`diff ${before} ${before} --cluster edge`)).error).toContain("Nothing has changed.\n");
});
