import { WorkloadDefinition, WorkloadInstance, type WriteBodyOf } from "@bowline/api";
import type { Client } from "@bowline/client";

import { unpublishedImage } from "../site/site-plan.ts";
import { editorUser } from "./demo-objects.ts";

/** A workload of the demo: manifests, and where they run. */
interface DemoWorkload {
  readonly name: string;
  readonly manifests: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly placement: WriteBodyOf<typeof WorkloadInstance>["spec"]["placement"];
}

/** Healthy, in every cluster with the label. */
const shop: DemoWorkload = {
  name: "shop",
  parameters: {},
  placement: { selector: { matchLabels: { env: "prod" } } },
  manifests: `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  currency: EUR
  greeting: Welcome to our shop in \${{ cluster.name }}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 3
  selector:
    matchLabels: { app: web }
  template:
    metadata:
      labels: { app: web }
    spec:
      containers:
        - name: web
          image: example.test/shop:1.4
          envFrom:
            - configMapRef: { name: settings }
          ports:
            - { name: http, containerPort: 8080 }
---
apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  selector: { app: web }
  ports:
    - { name: http, port: 80, targetPort: http }
`,
};

const [reportsImage = "", unpublishedTag = ""] = unpublishedImage.split(":");

/** Broken on purpose: its image is one that nobody has published. */
export const brokenWorkload: DemoWorkload = {
  name: "reports",
  parameters: { tag: unpublishedTag },
  placement: { clusters: ["cloud"] },
  manifests: `apiVersion: apps/v1
kind: Deployment
metadata:
  name: reports
spec:
  replicas: 1
  selector:
    matchLabels: { app: reports }
  template:
    metadata:
      labels: { app: reports }
    spec:
      containers:
        - name: reports
          image: ${reportsImage}:\${{ tag }}
---
apiVersion: v1
kind: Service
metadata:
  name: reports
spec:
  selector: { app: reports }
  ports:
    - { name: http, port: 80 }
`,
};

const workloads: readonly DemoWorkload[] = [shop, brokenWorkload];

/** Makes the definitions, as `bowline deploy` does; nothing is deployed before they are placed. */
export async function defineWorkloads(client: Client): Promise<void> {
  const define = async ({ name, manifests, parameters }: DemoWorkload): Promise<void> => {
    const declared = Object.keys(parameters).map((parameter) => ({ name: parameter, required: true }));
    const spec = { source: { inline: { manifests } }, parameters: declared };
    await client.apply(WorkloadDefinition, name, { metadata: { name }, spec });
  };
  await Promise.all(workloads.map(define));
}

/** Brings them to their clusters. They run in the name of the editor, whose client it is, whoever changes them later. */
export async function placeWorkloads(client: Client): Promise<void> {
  const place = async ({ name, placement, parameters }: DemoWorkload): Promise<void> => {
    const spec = {
      definition: name,
      placement: placement ?? {},
      namespace: name,
      parameters,
      actingUser: editorUser,
    };
    await client.apply(WorkloadInstance, name, { metadata: { name }, spec });
  };
  await Promise.all(workloads.map(place));
}
