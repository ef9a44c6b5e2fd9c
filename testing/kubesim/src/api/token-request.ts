import { defaultAudience, type ServiceAccountTokens } from "../auth/service-account-tokens.ts";
import { readNumber, readRecord, readString, readStrings } from "../store/json-value.ts";
import { invalidValue, timestamp } from "../store/object-meta.ts";
import { invalid } from "../store/status-errors.ts";
import { namespaceOf, type ApiRequest } from "./api-request.ts";
import { mediaType, parseObject, readBody } from "./request-body.ts";
import { sendJson } from "./respond.ts";

const shortestSeconds = 600;
const longestSeconds = 2 ** 32;

/** `serviceaccounts/NAME/token`: a token for a limited time, optionally bound to a pod or Secret. */
export async function handleTokenRequest(call: ApiRequest, tokens: ServiceAccountTokens): Promise<void> {
  const account = call.store.live(call.type, namespaceOf(call), call.target.name ?? "");
  const body = parseObject(await readBody(call.request), mediaType(call.request));
  const lifetimeSeconds = readNumber(body, "spec.expirationSeconds") ?? 3600;
  if (lifetimeSeconds < shortestSeconds || lifetimeSeconds > longestSeconds) {
    const why =
      lifetimeSeconds < shortestSeconds
        ? "may not specify a duration less than 10 minutes"
        : "may not specify a duration larger than 2^32 seconds";
    throw invalid({ group: "authentication.k8s.io", kind: "TokenRequest" }, account.metadata.name, [
      invalidValue("spec.expirationSeconds", lifetimeSeconds, why),
    ]);
  }
  const asked = readStrings(body, "spec.audiences");
  const audiences = asked.length > 0 ? asked : [defaultAudience];
  const bound = readRecord(body, "spec.boundObjectRef");
  const { token, expiresAtSeconds } = tokens.issue({
    namespace: account.metadata.namespace ?? "",
    accountName: account.metadata.name,
    accountUid: account.metadata.uid,
    audiences,
    issuedAtSeconds: Math.floor(call.clock.now() / 1000),
    lifetimeSeconds,
    ...(bound
      ? {
          boundObject: {
            kind: readString(bound, "kind") ?? "",
            name: readString(bound, "name") ?? "",
            uid: readString(bound, "uid") ?? "",
          },
        }
      : {}),
  });
  sendJson(call.response, 201, {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: {
      name: account.metadata.name,
      namespace: account.metadata.namespace,
      creationTimestamp: timestamp(call.clock.now()),
    },
    spec: { audiences, expirationSeconds: lifetimeSeconds, boundObjectRef: bound ?? null },
    status: { token, expirationTimestamp: timestamp(expiresAtSeconds * 1000) },
  });
}
