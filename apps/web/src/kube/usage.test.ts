import { expect, test } from "vitest";

import { formatCores, formatShare, readNodeUsage, readPodUsage } from "./usage.ts";

test("the usage of a pod is that of its containers together", () => {
  const [usage] = readPodUsage({
    items: [
      {
        metadata: { name: "web", namespace: "shop" },
        containers: [
          { name: "a", usage: { cpu: "250m", memory: "64Mi" } },
          { name: "b", usage: { cpu: "1500000n", memory: "1Ki" } },
        ],
      },
    ],
  });
  expect(usage).toMatchObject({ key: "shop/web", cpuCores: 0.2515, memoryBytes: 64 * 2 ** 20 + 1024 });
});

test("the usage of a node has its share, where the node may be read", () => {
  const metrics = { items: [{ metadata: { name: "n1" }, usage: { cpu: "1", memory: "1Gi" } }] };
  const nodes = {
    items: [{ metadata: { name: "n1" }, status: { allocatable: { cpu: "4", memory: "8Gi" } } }],
  };
  const [known] = readNodeUsage(metrics, nodes);
  expect(formatShare(known?.cpuCores, known?.cpuCapacity)).toBe("25 %");
  const [alone] = readNodeUsage(metrics, {});
  expect(formatShare(alone?.cpuCores, alone?.cpuCapacity)).toBe("–");
});

test("what a hostile cluster measures is unknown, and not a number of its choice", () => {
  const usages = readPodUsage({
    items: [
      null,
      { metadata: "x", containers: "y" },
      { metadata: { name: {} }, containers: [{ usage: { cpu: "1e999" } }] },
    ],
  });
  expect(usages.map(({ cpuCores, memoryBytes }) => [cpuCores, memoryBytes])).toEqual(
    Array.from({ length: 3 }, () => [undefined, undefined]),
  );
  expect([readPodUsage(null), readNodeUsage([], [])]).toEqual([[], []]);
});

test.each([
  [0, "0m"],
  [0.25, "250m"],
  [1.5, "1.50"],
  [undefined, "–"],
])("%s cores are %s", (cores, text) => {
  expect(formatCores(cores)).toBe(text);
});
