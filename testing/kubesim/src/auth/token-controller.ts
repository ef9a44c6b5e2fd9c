import { isRecord } from "@bowline/core";

import type { ClusterStore } from "../store/cluster-store.ts";
import { readPath } from "../store/json-value.ts";
import type { SimEvent } from "../store/sim-api.ts";
import { WorkQueue } from "../store/work-queue.ts";
import type { ServiceAccountTokens } from "./service-account-tokens.ts";

const tokenType = "kubernetes.io/service-account-token";
const nameAnnotation = "kubernetes.io/service-account.name";
const uidAnnotation = "kubernetes.io/service-account.uid";

/** Fills Secrets of type `kubernetes.io/service-account-token` with a token, and removes those whose account is gone. */
export class TokenController {
  readonly #store: ClusterStore;
  readonly #tokens: ServiceAccountTokens;
  readonly #rootCertificate: string;
  readonly #queue = new WorkQueue((key) => this.#reconcile(key));
  readonly #unsubscribe: (() => void)[];

  constructor(store: ClusterStore, tokens: ServiceAccountTokens, rootCertificate: string) {
    this.#store = store;
    this.#tokens = tokens;
    this.#rootCertificate = rootCertificate;
    this.#unsubscribe = [
      store.subscribe("secrets", (event) => this.#observe(event)),
      store.subscribe("serviceaccounts", ({ type, object }) => {
        if (type !== "MODIFIED")
          this.#enqueueSecretsOf(object.metadata.namespace ?? "", object.metadata.name);
      }),
    ];
  }

  stop(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#queue.stop();
  }

  #observe({ type, object }: SimEvent): void {
    if (type !== "DELETED" && object["type"] === tokenType) {
      this.#queue.add(`${object.metadata.namespace ?? ""}/${object.metadata.name}`);
    }
  }

  #enqueueSecretsOf(namespace: string, account: string): void {
    for (const secret of this.#store.list("secrets", namespace)) {
      if (secret["type"] === tokenType && secret.metadata.annotations?.[nameAnnotation] === account) {
        this.#queue.add(`${namespace}/${secret.metadata.name}`);
      }
    }
  }

  #reconcile(key: string): void {
    const [namespace = "", name = ""] = key.split("/");
    const secret = this.#store.get("secrets", namespace, name);
    if (!secret || secret["type"] !== tokenType) return;
    const account = this.#store.get(
      "serviceaccounts",
      namespace,
      secret.metadata.annotations?.[nameAnnotation] ?? "",
    );
    const boundUid = secret.metadata.annotations?.[uidAnnotation];
    if (!account || (boundUid !== undefined && boundUid !== account.metadata.uid)) {
      if (boundUid !== undefined) this.#store.delete("secrets", namespace, name);
      return;
    }
    if (readPath(secret, "data.token") !== undefined) return;
    const { uid, name: accountName } = account.metadata;
    const encode = (text: string): string => Buffer.from(text).toString("base64");
    this.#store.update("secrets", {
      ...secret,
      metadata: { ...secret.metadata, annotations: { ...secret.metadata.annotations, [uidAnnotation]: uid } },
      data: {
        ...(isRecord(secret["data"]) ? secret["data"] : {}),
        "ca.crt": encode(this.#rootCertificate),
        namespace: encode(namespace),
        token: encode(this.#tokens.issueForSecret({ namespace, name: accountName, uid }, name)),
      },
    });
  }
}
