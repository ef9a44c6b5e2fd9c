import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["{packages,apps,testing}/*/src/**/*.test.ts", "{bench,scripts}/**/*.test.ts"],
          exclude: ["**/*.cluster.test.ts", "**/node_modules/**"],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: "cluster",
          include: ["{packages,apps,testing}/*/src/**/*.cluster.test.ts"],
          // One real cluster at a time: two would fight for the two cores and for the node's bridge.
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 300_000,
        },
      },
    ],
    maxWorkers: 2,
  },
});
