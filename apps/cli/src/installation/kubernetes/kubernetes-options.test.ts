import { expect, test } from "vitest";

import { fakeContext } from "../../testing/fake-context.ts";
import { kubernetesOptions } from "./kubernetes-options.ts";

const digest = `sha256:${"ab".repeat(32)}`;
const before = {
  type: "kubernetes",
  kubeconfig: "/kubeconfig",
  values: {
    url: "https://b.example.com",
    image: { repository: "old", tag: "1", digest, pullPolicy: "Always" },
  },
} as const;

test.each([
  ["registry.example.com:5000/new:2", { repository: "registry.example.com:5000/new", tag: "2" }],
  ["new", { repository: "new" }],
  [`new@${digest}`, { repository: "new", digest }],
])("%s takes the place of the image from before, tag and digest included", async (image, expected) => {
  const { values } = await kubernetesOptions("bowline", { image }, before, fakeContext({ client: {} }));
  expect(values).toEqual({ url: "https://b.example.com", image: { ...expected, pullPolicy: "Always" } });
});
