import type { KubeClient } from "@bowline/kube";

import type { ProviderStage } from "../provider-stage.ts";
import type { StatusForm } from "./cluster-status.ts";
import { ClusterApiWorld, specWith, templateSecret } from "./cluster-api-world.ts";

/** Of the sample class; one of its variables would be another number without its zero. */
export const topology = {
  class: "small",
  kubernetesVersion: "1.36.4",
  controlPlaneReplicas: 1,
  workers: [{ class: "general", name: "md-0", replicas: 1 }],
  variables: { zone: "1.30", disks: "2", spot: "true" },
};

/** The contract on clusters of a ClusterClass; the change takes a group of machines away and resizes the other. */
export function topologyStage(form: StatusForm, admin: () => KubeClient): ProviderStage {
  const workers = [{ class: "general", name: "md-1", replicas: 5 }];
  return {
    spec: specWith({ topology }),
    changedSpec: specWith({ topology: { ...topology, kubernetesVersion: "1.36.5", workers } }),
    openWorld: () => Promise.resolve(new ClusterApiWorld(admin(), form)),
  };
}

/** The contract on clusters that a template renders. */
export function templateStage(form: StatusForm, admin: () => KubeClient): ProviderStage {
  return {
    spec: specWith({ template: { definition: "sample", parameters: {} } }),
    changedSpec: specWith({ template: { definition: "sample", parameters: { zones: "3" } } }),
    credentials: {
      identity: { key: templateSecret, encoded: Buffer.from(templateSecret).toString("base64") },
    },
    openWorld: () => Promise.resolve(new ClusterApiWorld(admin(), form)),
  };
}
