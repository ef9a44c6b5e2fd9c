import { createHash, createHmac } from "node:crypto";

import type { AwsKey } from "./aws-api.ts";

export interface TokenRequest {
  readonly region: string;
  /** Of STS: `https://sts.eu-west-1.amazonaws.com`. */
  readonly endpoint: string;
  readonly key: AwsKey;
  readonly cluster: string;
  readonly nowMs: number;
}

/** The header that ties a token to one cluster; it is signed, and added again by the control plane. */
const clusterHeader = "x-k8s-aws-id";
/** How long STS takes the request; the control plane takes the token for fifteen minutes from its date. */
const validSeconds = 60;

/**
 * What the authenticator of EKS wants as a token: the address of a `GetCallerIdentity` that is signed in its query
 * (Signature Version 4). The control plane makes the request and learns who signed it.
 */
export function presignedToken(request: TokenRequest): string {
  return `k8s-aws-v1.${Buffer.from(presignedUrl(request)).toString("base64url")}`;
}

function presignedUrl({ region, endpoint, key, cluster, nowMs }: TokenRequest): string {
  const { host, origin } = new URL(endpoint);
  const date = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d{3}/gu, "");
  const scope = `${date.slice(0, 8)}/${region}/sts/aws4_request`;
  const signedHeaders = `host;${clusterHeader}`;
  const query = Object.entries({
    Action: "GetCallerIdentity",
    Version: "2011-06-15",
    "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
    "X-Amz-Credential": `${key.accessKeyId}/${scope}`,
    "X-Amz-Date": date,
    "X-Amz-Expires": String(validSeconds),
    ...(key.sessionToken === undefined ? {} : { "X-Amz-Security-Token": key.sessionToken }),
    "X-Amz-SignedHeaders": signedHeaders,
  })
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
  const headers = `host:${host}\n${clusterHeader}:${cluster}\n`;
  const canonical = ["GET", "/", query, headers, signedHeaders, sha256("")].join("\n");
  const text = ["AWS4-HMAC-SHA256", date, scope, sha256(canonical)].join("\n");
  const signingKey = scope.split("/").reduce<string | Buffer>(hmac, `AWS4${key.secretAccessKey}`);
  return `${origin}/?${query}&X-Amz-Signature=${hmac(signingKey, text).toString("hex")}`;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
