import { expect, test } from "vitest";

import { demoGuide, type GuideFacts } from "./demo-guide.ts";

const facts: GuideFacts = {
  program: "npx bowline",
  context: undefined,
  hasKubectl: true,
  url: "https://127.0.0.1:7443",
  caFile: ".bowline/demo/server/tls/ca.crt",
  adminTokenFile: ".bowline/demo/server/admin.token",
  viewerTokenFile: ".bowline/demo/viewer",
  kubeconfigFile: ".bowline/demo/kubeconfig",
  manifestFile: ".bowline/demo/hello.yaml",
  brokenFile: ".bowline/demo/reports.yaml",
};

const commandsOf = (change: Partial<GuideFacts> = {}): string[] =>
  demoGuide({ ...facts, ...change }).sections.flatMap(({ commands }) => commands);

test("what is printed fits into 80 columns", () => {
  const indent = 3;
  expect(commandsOf().filter((command) => command.length + indent > 80)).toEqual([]);
});

test("commands name the context where it is not the current one", () => {
  expect(commandsOf({ context: "demo-2" })).toEqual(
    expect.arrayContaining([
      "npx bowline --context demo-2 get clusters",
      "npx bowline --context demo-2 tree wi/reports",
      "npx bowline --context demo-2 deploy .bowline/demo/reports.yaml --set tag=1.9 --wait",
    ]),
  );
});

test("without kubectl there is none in them, and it says how to get it", () => {
  const { sections } = demoGuide({ ...facts, hasKubectl: false });
  expect(sections.map(({ title }) => title).join("\n")).toContain("https://kubernetes.io/docs/tasks/tools/");
  expect(commandsOf({ hasKubectl: false }).filter((command) => command.includes("kubectl"))).toEqual([]);
});
