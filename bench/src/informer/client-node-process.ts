/** The measured process of `@kubernetes/client-node`: `client-node-process.ts KUBECONFIG`. */
import { CoreV1Api, KubeConfig, makeInformer } from "@kubernetes/client-node";

import { measureInformer } from "./measure-informer.ts";

const [kubeconfigPath = ""] = process.argv.slice(2);
const config = new KubeConfig();
config.loadFromFile(kubeconfigPath);
const api = config.makeApiClient(CoreV1Api);
const informer = makeInformer(config, "/api/v1/pods", () => api.listPodForAllNamespaces());
let failure: unknown;
informer.on("error", (error: unknown) => {
  // It reports the watch that it aborts itself before a relist.
  if (!(error instanceof Error && error.name === "AbortError")) failure = error;
});

function checkFailure(): void {
  if (failure !== undefined) throw new Error("The informer of client-node failed", { cause: failure });
}

measureInformer({
  sync: async () => {
    await informer.start();
    checkFailure();
  },
  relist: async () => {
    // What its watch calls when the server answers 410; there is no public way to bring that about.
    const onDone: unknown = Reflect.get(informer, "doneHandler");
    if (typeof onDone !== "function") throw new Error("client-node has changed: doneHandler is gone");
    await Reflect.apply(onDone, informer, [{ statusCode: 410 }]);
    checkFailure();
  },
  count: () => informer.list().length,
  onUpdate: (listener) => {
    informer.on("update", (pod) => listener(pod.metadata?.labels ?? {}));
  },
});
