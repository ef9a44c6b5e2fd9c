import { agentNames } from "./agent-rules.ts";

export interface DeploymentOptions {
  readonly image: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly observesSecrets: boolean;
}

/** Of the user in the image; any number but 0 would do. */
const userId = 65_532;
const healthPort = 8081;
const joinFolder = "/etc/bowline/join";

/** How the agent runs: as nobody, with nothing it could write to, and as the `restricted` pod security standard asks. */
export function agentDeploymentSpec({ image, labels, observesSecrets }: DeploymentOptions): object {
  return {
    replicas: 1,
    selector: { matchLabels: { "app.kubernetes.io/name": agentNames.agent } },
    // The new agent is connected before the old one goes.
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    template: {
      metadata: { labels },
      spec: {
        serviceAccountName: agentNames.agent,
        automountServiceAccountToken: true,
        enableServiceLinks: false,
        // Requests that are under way may finish.
        terminationGracePeriodSeconds: 60,
        nodeSelector: { "kubernetes.io/os": "linux" },
        securityContext: {
          runAsNonRoot: true,
          runAsUser: userId,
          runAsGroup: userId,
          fsGroup: userId,
          seccompProfile: { type: "RuntimeDefault" },
        },
        containers: [agentContainer(image, observesSecrets)],
        volumes: [
          // Used up once the agent has joined; whoever deletes it then does not stop the agent.
          { name: "join", secret: { secretName: agentNames.joinSecret, optional: true, defaultMode: 0o440 } },
        ],
      },
    },
  };
}

function agentContainer(image: string, observesSecrets: boolean): object {
  const probe = (path: string): object => ({
    httpGet: { path, port: "health" },
    periodSeconds: 10,
    timeoutSeconds: 5,
  });
  return {
    name: "agent",
    image,
    args: ["agent"],
    env: [
      { name: "BOWLINE_JOIN_TOKEN_FILE", value: `${joinFolder}/token` },
      { name: "BOWLINE_AGENT_SECRET", value: agentNames.keySecret },
      { name: "BOWLINE_HEALTH_LISTEN", value: `0.0.0.0:${healthPort}` },
      { name: "BOWLINE_INSTANCE", valueFrom: { fieldRef: { fieldPath: "metadata.uid" } } },
      ...(observesSecrets ? [{ name: "BOWLINE_OBSERVE_SECRETS", value: "on" }] : []),
    ],
    ports: [{ name: "health", containerPort: healthPort }],
    livenessProbe: { ...probe("/healthz"), failureThreshold: 6 },
    readinessProbe: probe("/readyz"),
    resources: { requests: { cpu: "50m", memory: "96Mi" }, limits: { memory: "512Mi" } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
    volumeMounts: [{ name: "join", mountPath: joinFolder, readOnly: true }],
  };
}
