import { describe, expect, test } from "vitest";

import { bearerInProtocols, protocolsWithoutBearer } from "../../http/bearer-protocol.ts";
import { upgradeHeaders } from "./upgrade-headers.ts";
import { addImpersonation, requestHeaders, requestTrailers } from "./request-headers.ts";

describe("what a cluster is sent of the headers", () => {
  test("keeps what the API server reads, in its order and as often as it came", () => {
    const raw = [
      "Accept",
      "application/json",
      "X-A",
      "1",
      "content-type",
      "a/b",
      "X-A",
      "2",
      "User-Agent",
      "k",
    ];
    expect(requestHeaders(raw, "keep-alive")).toEqual(raw);
  });

  test.each([
    "Authorization",
    "Cookie",
    "HOST",
    "Connection",
    "Keep-Alive",
    "Proxy-Authorization",
    "Proxy-Connection",
    "TE",
    "Transfer-Encoding",
    "Upgrade",
    "Expect",
    "X-Forwarded-For",
    "x-forwarded-client-cert",
    "Forwarded",
    "X-Real-IP",
    "Via",
    "X-Remote-User",
    "X-Remote-Extra-Scopes",
    "Origin",
    "Referer",
    "Sec-Fetch-Site",
    "X-Request-Id",
  ])("drops %s", (name) => {
    expect(requestHeaders(["A", "1", name, "x", "B", "2"], undefined)).toEqual(["A", "1", "B", "2"]);
  });

  test("drops what Connection names", () => {
    expect(requestHeaders(["X-Secret", "1", "X-Other", "2"], "close, X-SECRET ,")).toEqual(["X-Other", "2"]);
  });

  test.each([
    "Impersonate-User",
    "impersonate-group",
    "IMPERSONATE-UID",
    "Impersonate-Extra-scopes",
    "Impersonate-",
  ])("refuses %s, also when Connection names it", (name) => {
    const refusal = expect.objectContaining({ code: "Forbidden" });
    expect(() => requestHeaders([name, "root"], undefined)).toThrow(refusal);
    expect(() => requestHeaders([name, "root"], name)).toThrow(refusal);
  });

  test("adds as whom the request is made", () => {
    const headers = ["Accept", "*/*"];
    const access = {
      grant: "developers",
      kubernetesUser: "dev",
      groups: ["a", "b c"],
      namespaces: undefined,
    };
    addImpersonation(headers, { access, user: "editor", requestId: "r1" });
    const text = Array.from(
      { length: headers.length / 2 },
      (_, at) => `${headers[2 * at]}: ${headers[2 * at + 1]}`,
    );
    expect(text).toEqual([
      "Accept: */*",
      "Impersonate-User: dev",
      "Impersonate-Group: a",
      "Impersonate-Group: b c",
      "Impersonate-Extra-bowline.dev%2Fuser: editor",
      "Impersonate-Extra-bowline.dev%2Fgrant: developers",
      "Impersonate-Extra-bowline.dev%2Frequest-id: r1",
    ]);
  });

  test("lets trailers through that have no meaning on the way", () => {
    const raw = [
      "X-Checksum",
      "1",
      "Impersonate-User",
      "root",
      "X-Remote-User",
      "root",
      "Authorization",
      "b",
    ];
    expect(requestTrailers([...raw, "Content-Length", "5", "x-other", "2"])).toEqual([
      "X-Checksum",
      "1",
      "x-other",
      "2",
    ]);
  });
});

describe("a token among the subprotocols of a WebSocket", () => {
  const protocolOf = (token: string): string =>
    `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString("base64url")}`;
  const headersWith = (...protocols: string[]) => ({ "sec-websocket-protocol": protocols.join(", ") });

  test("is taken for the Authorization header", () => {
    const headers = headersWith("v5.channel.k8s.io", protocolOf("bwl_secret+/"), "v4.channel.k8s.io");
    expect(bearerInProtocols(headers)).toBe("Bearer bwl_secret+/");
    expect(protocolsWithoutBearer(headers)).toBe("v5.channel.k8s.io, v4.channel.k8s.io");
  });

  test.each([
    ["with no other protocol beside it", [protocolOf("a")]],
    ["twice", ["v4.channel.k8s.io", protocolOf("a"), protocolOf("b")]],
    ["that is empty", ["v4.channel.k8s.io", "base64url.bearer.authorization.k8s.io."]],
    ["that is no base64url", ["v4.channel.k8s.io", "base64url.bearer.authorization.k8s.io.a+b="]],
    ["that is missing", ["v4.channel.k8s.io"]],
  ])("is none %s", (_, protocols) => {
    expect(bearerInProtocols(headersWith(...protocols))).toBeUndefined();
  });

  test("is never sent on, whether the protocol changes or not", () => {
    const value = `v5.channel.k8s.io, ${protocolOf("secret")}`;
    const raw = ["Sec-WebSocket-Protocol", value, "X-A", "1", "sec-websocket-protocol", protocolOf("other")];
    const kept = requestHeaders(raw, undefined);
    expect(kept).toEqual(["X-A", "1"]);
    expect(upgradeHeaders(kept, headersWith(value, protocolOf("other")))).toEqual([
      "X-A",
      "1",
      "Sec-WebSocket-Protocol",
      "v5.channel.k8s.io",
    ]);
    expect(upgradeHeaders(kept, headersWith(protocolOf("secret")))).toEqual(["X-A", "1"]);
  });

  test("a body before another protocol is refused", () => {
    const refusal = expect.objectContaining({ code: "BadRequest" });
    expect(() => upgradeHeaders([], { "content-length": "5" })).toThrow(refusal);
    expect(() => upgradeHeaders([], { "transfer-encoding": "chunked" })).toThrow(refusal);
    expect(upgradeHeaders(["Content-Length", "0"], { "content-length": "0" })).toEqual([
      "Content-Length",
      "0",
    ]);
  });
});
