import type { ProviderStep } from "../provider.ts";

/** What kind says when it begins with a part, in the order of its parts, and how long that usually takes. */
const parts = [
  { begins: /Ensuring node image/u, text: "Pulling the image of the nodes", expectedSeconds: 60 },
  { begins: /Preparing nodes/u, text: "Starting the containers of the nodes", expectedSeconds: 15 },
  { begins: /Writing configuration/u, text: "Writing the configuration of the nodes", expectedSeconds: 5 },
  { begins: /Starting control-plane/u, text: "Starting the control plane", expectedSeconds: 30 },
  { begins: /Installing CNI/u, text: "Installing the network", expectedSeconds: 5 },
  { begins: /Installing StorageClass/u, text: "Installing the storage class", expectedSeconds: 5 },
  { begins: /Joining worker nodes/u, text: "Joining the other nodes", expectedSeconds: 30 },
] as const;

/** The part that kind is about, as its log says. */
export function kindStep(log: string): ProviderStep {
  const index = parts.findLastIndex(({ begins }) => begins.test(log));
  const { text, expectedSeconds } = parts[Math.max(index, 0)] ?? parts[0];
  return { number: Math.max(index, 0) + 1, of: parts.length, text, expectedSeconds };
}
