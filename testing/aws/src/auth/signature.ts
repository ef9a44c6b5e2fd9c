import { createHash, createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** A request as it came over the wire. */
export interface SignedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What a signature says of itself; version 4, in the header or in the query. */
export interface Signature {
  readonly accessKeyId: string;
  readonly sessionToken: string | undefined;
  readonly signedAtMs: number;
  readonly region: string;
  readonly service: string;
  /** Whether it was made with this secret, over this request. */
  isMadeWith(secretAccessKey: string): boolean;
}

interface SignatureParts {
  readonly scope: string;
  readonly date: string;
  readonly signedHeaders: string;
  readonly signature: string;
}

export function readSignature(request: SignedRequest): Signature | undefined {
  const parts = partsInHeader(request) ?? partsInQuery(request);
  if (parts === undefined) return undefined;
  const [accessKeyId = "", day = "", region = "", service = ""] = parts.scope.split("/");
  const token = request.headers["x-amz-security-token"];
  return {
    accessKeyId,
    sessionToken:
      (typeof token === "string" ? token : request.query.get("X-Amz-Security-Token")) ?? undefined,
    signedAtMs: parseDate(parts.date),
    region,
    service,
    isMadeWith: (secret) => {
      const text = [
        "AWS4-HMAC-SHA256",
        parts.date,
        [day, region, service, "aws4_request"].join("/"),
        sha256(canonicalRequest(request, parts)),
      ].join("\n");
      const key = [day, region, service, "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${secret}`);
      return hmac(key, text).toString("hex") === parts.signature;
    },
  };
}

function partsInHeader({ headers }: SignedRequest): SignatureParts | undefined {
  const pattern = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]+)$/u;
  const match = pattern.exec(headers.authorization ?? "");
  const date = headers["x-amz-date"];
  if (match === null || typeof date !== "string") return undefined;
  const [, scope = "", signedHeaders = "", signature = ""] = match;
  return { scope, date, signedHeaders, signature };
}

function partsInQuery({ query }: SignedRequest): SignatureParts | undefined {
  const signature = query.get("X-Amz-Signature");
  if (signature === null) return undefined;
  return {
    scope: query.get("X-Amz-Credential") ?? "",
    date: query.get("X-Amz-Date") ?? "",
    signedHeaders: query.get("X-Amz-SignedHeaders") ?? "",
    signature,
  };
}

function canonicalRequest(
  { method, path, query, headers, body }: SignedRequest,
  { signedHeaders }: SignatureParts,
): string {
  const pairs = [...query]
    .filter(([name]) => name !== "X-Amz-Signature")
    .map(([name, value]) => `${encode(name)}=${encode(value)}`);
  return [
    method,
    path.split("/").map(encode).join("/"),
    pairs.sort().join("&"),
    ...signedHeaders.split(";").map((name) => `${name}:${String(headers[name]).trim()}`),
    "",
    signedHeaders,
    sha256(body),
  ].join("\n");
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/gu,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function parseDate(date: string): number {
  return Date.parse(date.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/u, "$1-$2-$3:$4:$5"));
}

function sha256(data: string | Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}

function hmac(key: string | Buffer, data: string): Buffer {
  return createHmac("sha256", key).update(data).digest();
}
