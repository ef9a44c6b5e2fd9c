import { defineConfig } from "vitest/config";

const limits = {
  testTimeout: 30_000,
  hookTimeout: 30_000,
  expect: { poll: { timeout: 20_000, interval: 10 } },
};

/** Real programs that are started again and again take ten times as long on a machine with other work. */
const longLimits = {
  testTimeout: 180_000,
  hookTimeout: 60_000,
  expect: { poll: { ...limits.expect.poll, timeout: 60_000 } },
};

const notUnit = ["**/*.{cluster,long}.test.ts", "**/node_modules/**"];

/** Tests that set flags of V8, which hold for the whole process, or put something else in the place of a module. */
const alone = ["packages/program/src/**/*.test.ts", "testing/kubesim/src/protobuf/kubectl.test.ts"];

/** They make networks of their own, and so change the interfaces of the machine. */
const changeInterfaces = [
  "apps/cli/src/commands/up/up-compose.long.test.ts",
  "apps/cli/src/commands/demo/demo-process.long.test.ts",
  "testing/browser/src/tests/first-minute.long.test.ts",
];

const clusterLimits = {
  testTimeout: 180_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000, interval: 50 } },
};

/** They look at the interfaces of the whole machine, or have Chromium, which gives up when one comes or goes. */
const aloneWithNodes = [
  "packages/providers/src/exec/test-node.cluster.test.ts",
  "testing/browser/src/**/*.cluster.test.ts",
];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit-shared",
          include: ["{packages,apps,testing}/*/src/**/*.test.ts", "{bench,packaging,scripts}/**/*.test.ts"],
          exclude: [...notUnit, ...alone],
          // Files of tests share what was imported, which takes a third of the time away.
          isolate: false,
          ...limits,
        },
      },
      {
        test: { name: "unit-alone", include: alone, ...limits },
      },
      {
        test: {
          name: "long",
          // Programs that are killed again and again, random faults, whole demos.
          include: ["{packages,apps,testing}/*/src/**/*.long.test.ts", "packaging/src/**/*.long.test.ts"],
          exclude: ["testing/browser/**", ...changeInterfaces],
          ...longLimits,
        },
      },
      {
        test: {
          name: "long-browser",
          // Chromium gives up whatever it loads when an interface of the machine comes or goes (ERR_NETWORK_CHANGED).
          include: ["testing/browser/src/**/*.long.test.ts"],
          exclude: changeInterfaces,
          ...longLimits,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "long-network",
          include: changeInterfaces,
          fileParallelism: false,
          ...longLimits,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: "cluster",
          include: ["{packages,apps,testing}/*/src/**/*.cluster.test.ts"],
          exclude: [...aloneWithNodes, "**/node_modules/**"],
          ...clusterLimits,
        },
      },
      {
        test: {
          name: "cluster-floor",
          // The oldest Kubernetes: the contract, its RBAC, one walk through Bowline, and what installs a server.
          include: [
            "packages/graph/src/rbac/*.cluster.test.ts",
            "testing/contract/src/real*.cluster.test.ts",
            "testing/gateway/src/contract/*.cluster.test.ts",
            "apps/cli/src/real-cluster/through-bowline.cluster.test.ts",
            "apps/cli/src/commands/install/*.cluster.test.ts",
          ],
          env: { TEST_KUBERNETES: "1.20" },
          ...clusterLimits,
        },
      },
      {
        test: {
          name: "cluster-alone",
          include: aloneWithNodes,
          fileParallelism: false,
          ...clusterLimits,
          sequence: { groupOrder: 1 },
        },
      },
    ],
    maxWorkers: 2,
  },
});
