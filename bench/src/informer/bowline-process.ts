/**
 * The measured process of this project's informer: `bowline-process.ts KUBECONFIG [default-heap]`. It keeps its young
 * generation small, as the agent does, unless it is told to leave the heap as Node sets it.
 */
import { Readable } from "node:stream";

import { keepYoungGenerationSmall } from "@bowline/program";
import {
  connect,
  createInformer,
  loadKubeconfig,
  resources,
  type KubeRequest,
  type KubeResponse,
  type Transport,
} from "@bowline/kube";

import { agentPodFields, projectPod } from "./agent-pod.ts";
import { measureInformer } from "./measure-informer.ts";

const isWatch = (request: KubeRequest): boolean => /[?&]watch=/.test(request.path);

/** Ends the running watch and answers the next one with 410, as a server does that has forgotten where we were. */
class ForgetfulTransport implements Transport {
  readonly #inner: Transport;
  #watchBody: Readable | undefined;
  #forgetful = false;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  get detectsDeadPeer(): boolean {
    return this.#inner.detectsDeadPeer;
  }

  async request(request: KubeRequest): Promise<KubeResponse> {
    const response = await this.#inner.request(request);
    if (!isWatch(request)) return response;
    this.#watchBody = response.body;
    if (!this.#forgetful) return response;
    this.#forgetful = false;
    response.body.destroy();
    return expired();
  }

  forget(): void {
    this.#forgetful = true;
    this.#watchBody?.destroy();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

function expired(): KubeResponse {
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Expired", code: 410 };
  const body = Readable.from([Buffer.from(JSON.stringify(status))]);
  return { status: 410, headers: { "content-type": "application/json" }, body };
}

const [kubeconfigPath = "", heap] = process.argv.slice(2);
if (heap !== "default-heap") keepYoungGenerationSmall();
const transport = new ForgetfulTransport(connect(await loadKubeconfig({ paths: [kubeconfigPath] })));
const informer = createInformer({
  transport,
  resource: resources.pods,
  fields: agentPodFields,
  project: projectPod,
  backoff: { baseMs: 1, maxMs: 1, factor: 1, jitter: 0, resetAfterMs: 1000 },
  onError: (error) => {
    throw error;
  },
});

measureInformer({
  sync: () => {
    informer.start();
    return informer.synced();
  },
  relist: async () => {
    const before = informer.state().relists;
    transport.forget();
    while (informer.state().relists === before) await new Promise((resolve) => void setTimeout(resolve, 10));
  },
  count: () => informer.state().objects,
  onUpdate: (listener) => {
    informer.addHandler({ update: (_old, pod) => listener(pod.labels) });
  },
});
