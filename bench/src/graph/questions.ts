import { benchPod } from "../pods.ts";

/** Questions of one sort, each a path of the API. */
export interface QuestionSet {
  readonly name: QuestionName;
  readonly paths: readonly string[];
}

const questionNames = ["uses", "who-can", "blast-radius", "path", "search"] as const;
export type QuestionName = (typeof questionNames)[number];

/** Applications in a cluster that `fillCluster` has filled. */
const apps = 200;
const podsPerApp = 5;
const setSize = 100;

/** Questions of a sort about many applications, the same ones in every run. */
export function questionSets(): readonly QuestionSet[] {
  return questionNames.map((name) => ({
    name,
    // 37 shares no divisor with the number of applications: neighbours are of different namespaces.
    paths: Array.from({ length: setSize }, (_, index) =>
      pathOf(name, parametersOf(name, appAt((index * 37) % apps), index)),
    ),
  }));
}

/** For those who only want to know whether there is an answer. */
export function anyQuestion(): string {
  return pathOf("uses", parametersOf("uses", appAt(0), 0));
}

/** The same question about a time. */
export function askedAt(path: string, timeMs: number): string {
  return `${path}&at=${encodeURIComponent(new Date(timeMs).toISOString())}`;
}

interface App {
  readonly namespace: string;
  readonly name: string;
  readonly pod: string;
  readonly ip: string;
}

function appAt(index: number): App {
  const { metadata, spec, status } = benchPod(index * podsPerApp);
  return {
    namespace: metadata.namespace,
    pod: metadata.name,
    name: String(spec["serviceAccountName"]),
    ip: String(status["podIP"]),
  };
}

type Parameters = Readonly<Record<string, string>>;

function pathOf(name: QuestionName, parameters: Parameters): string {
  return `/api/v1/graph/${name}?${new URLSearchParams(parameters).toString()}`;
}

function parametersOf(name: QuestionName, app: App, index: number): Parameters {
  const choices = choicesFor(app)[name];
  return choices[index % choices.length] ?? {};
}

function choicesFor({
  namespace,
  name,
  pod,
  ip,
}: App): Readonly<Record<QuestionName, readonly Parameters[]>> {
  const node = (kind: string, suffix = ""): string => `${kind}/${namespace}/${name}${suffix}`;
  const secret = node("Secret", "-db");
  const about = (text: string): Parameters => ({ node: text });
  return {
    uses: [
      about(secret),
      about(node("ConfigMap", "-config")),
      about(node("PersistentVolumeClaim", "-data")),
      about(node("ServiceAccount")),
    ],
    "who-can": [
      { verb: "get", resource: "configmaps", namespace },
      { verb: "delete", resource: "secrets", namespace },
      { verb: "create", resource: "pods/exec", namespace },
      { verb: "list", resource: "deployments.apps" },
    ],
    "blast-radius": [
      about(secret),
      about(node("Service")),
      about(node("Deployment")),
      about(`Pod/${namespace}/${pod}`),
    ],
    path: [
      { from: node("Ingress"), to: secret },
      { from: node("Deployment"), to: node("ConfigMap", "-config") },
      { from: `Pod/${namespace}/${pod}`, to: node("PersistentVolumeClaim", "-data") },
      { from: secret, to: node("Ingress") },
    ],
    // The last ones are words that nearly everything has.
    search: [
      { text: name },
      { text: pod },
      { text: `${name}-db` },
      { text: ip },
      { text: pod.slice(-5) },
      { text: name.slice(0, 4) },
      { text: "webshop" },
      { text: "team-" },
    ],
  };
}
