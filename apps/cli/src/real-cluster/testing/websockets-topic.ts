import { createHash } from "node:crypto";

import { expect, test } from "vitest";

import { channels, ChannelSocket } from "./channel-socket.ts";
import type { Topic } from "./topic.ts";

const protocol = "v4.channel.k8s.io";
const pods = "/api/v1/namespaces/default/pods";

/** What browsers and newer clients speak in place of SPDY. */
export const websocketsTopic: Topic = (stage) => {
  const open = (path: string, options: { readonly protocols?: string[]; readonly token?: string } = {}) => {
    const { endpoint, caPem } = stage();
    return ChannelSocket.open({ url: `${endpoint}${path}`, caPem, protocols: [protocol], ...options });
  };
  const exec = (command: string): string => {
    const words = ["sh", "-c", command].map((word) => `command=${encodeURIComponent(word)}`);
    return `${pods}/box/exec?${words.join("&")}&stdin=true&stdout=true&stderr=true`;
  };
  const isComplete = (bytes: Buffer): boolean => bytes.toString().endsWith("}\n") || bytes.at(-1) === 0x7d;

  test("exec has its streams, and tells how the command ended", async () => {
    const { tokens } = stage();
    const command = 'read -r line; echo "you said $line"; echo problem >&2; exit 5';
    const socket = await open(exec(command), { token: tokens.operator });
    expect(socket.protocol).toBe(protocol);
    socket.send(channels.stdin, "hello\n");
    const result = await socket.received(channels.result, isComplete);
    expect(JSON.parse(result.toString())).toMatchObject({
      status: "Failure",
      reason: "NonZeroExitCode",
      details: { causes: [{ reason: "ExitCode", message: "5" }] },
    });
    const line = (bytes: Buffer): boolean => bytes.includes("\n");
    expect((await socket.received(channels.stdout, line)).toString()).toBe("you said hello\n");
    expect((await socket.received(channels.stderr, line)).toString()).toBe("problem\n");
  });

  test("exec brings back 3 MiB as they are, with a token as browsers show it", async () => {
    const shown = Buffer.from(stage().tokens.operator).toString("base64url");
    const protocols = [protocol, `base64url.bearer.authorization.k8s.io.${shown}`];
    const size = 3 * 1024 * 1024;
    const command = `head -c ${size} /dev/urandom > /tmp/ws; cat /tmp/ws; sha256sum /tmp/ws >&2`;
    const socket = await open(exec(command), { protocols });
    expect(socket.protocol).toBe(protocol);
    const content = await socket.received(channels.stdout, ({ length }) => length >= size);
    const sum = await socket.received(channels.stderr, (bytes) => bytes.includes("\n"));
    expect(sum.toString()).toBe(`${createHash("sha256").update(content).digest("hex")}  /tmp/ws\n`);
  });

  test("port-forward reaches a port", async () => {
    const socket = await open(`${pods}/echo/portforward?ports=8080`, { token: stage().tokens.operator });
    socket.send(0, "POST / HTTP/1.0\r\nContent-Length: 5\r\n\r\nhello");
    const answer = await socket.received(0, (bytes) => bytes.toString().endsWith("hello"));
    // Each channel begins with the number of the port.
    expect(answer.readUInt16LE(0)).toBe(8080);
    expect(answer.subarray(2).toString()).toMatch(/^HTTP\/1\.[01] 200 OK\r\n/u);
  });

  test("a viewer gets none", async () => {
    await expect(open(exec("true"), { token: stage().tokens.viewer })).rejects.toThrow("no WebSocket");
  });
};
