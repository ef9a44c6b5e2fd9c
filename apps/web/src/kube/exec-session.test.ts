import { ManualClock } from "@bowline/core/testing";
import { array, assert, integer, property, string, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";

import { decodeMessage, encodeMessage, encodeResize, execChannels, readResult } from "./exec-channels.ts";
import { ExecSession, type ExecState } from "./exec-session.ts";
import { failureOf, FakeLink } from "./testing/fake-link.ts";

describe("channels", () => {
  test("what is sent is read again", () => {
    assert(
      property(integer({ min: 0, max: 255 }), uint8Array(), (channel, bytes) => {
        expect(decodeMessage(encodeMessage(channel, bytes).buffer)).toEqual({ channel, bytes });
      }),
    );
    expect(decodeMessage(new ArrayBuffer(0))).toBeUndefined();
    expect(new TextDecoder().decode(encodeResize(80, 24))).toBe('\u0004{"Width":80,"Height":24}');
  });

  test.each([
    ['{"metadata":{},"status":"Success"}', { type: "exit", code: 0 }],
    [
      '{"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"3"}]}}',
      { type: "exit", code: 3 },
    ],
    ['{"status":"Failure","message":"no such container"}', { type: "failed", message: "no such container" }],
    ["nonsense", { type: "failed", message: "The command could not be run." }],
    [
      '{"details":{"causes":[null,{"reason":"ExitCode","message":{}}]}}',
      { type: "failed", message: "The command could not be run." },
    ],
  ])("the result %s is read", (text, result) => {
    expect(readResult(text)).toEqual(result);
  });

  test("no result makes it fail", () => {
    assert(property(string(), (text) => void readResult(text)));
  });
});

const place = { cluster: "edge", namespace: "shop", pod: "web-1", container: "app" };
const { output, status, resize, input } = execChannels;

function open(): {
  link: FakeLink;
  clock: ManualClock;
  shown: string[];
  states: ExecState[];
  session: ExecSession;
} {
  const link = new FakeLink();
  const clock = new ManualClock();
  const shown: string[] = [];
  const states: ExecState[] = [];
  const session = new ExecSession({
    link,
    clock,
    random: () => 0.5,
    place,
    onOutput: (bytes) => shown.push(new TextDecoder().decode(bytes)),
    onState: (state) => states.push(state),
  });
  return { link, clock, shown, states, session };
}

function runs(link: FakeLink): void {
  link.last.opens();
  link.last.gives("", output);
}

const sent = (link: FakeLink): string[] => link.last.sent.map((bytes) => new TextDecoder().decode(bytes));

test("asks for a terminal with the best shell, by the newest protocol first", () => {
  const { link } = open();
  const { searchParams, pathname } = new URL(link.last.path, "https://x");
  expect(pathname).toBe("/clusters/edge/api/v1/namespaces/shop/pods/web-1/exec");
  expect(Object.fromEntries(searchParams)).toMatchObject({
    stdin: "true",
    stdout: "true",
    tty: "true",
    container: "app",
  });
  expect(searchParams.getAll("command").at(-1)).toContain("exec bash; exec sh");
  expect(link.last.protocol).toBe("v5.channel.k8s.io");
});

test("nothing is typed before it runs, and then its size is told first", () => {
  const { link, shown, states, session } = open();
  session.resize(100, 30);
  session.send("too early");
  expect(link.last.sent).toEqual([]);
  runs(link);
  session.send("ls\r");
  link.last.gives("# ls", output);
  expect(sent(link)).toEqual([
    `${String.fromCharCode(resize)}{"Width":100,"Height":30}`,
    `${String.fromCharCode(input)}ls\r`,
  ]);
  expect(shown).toEqual(["# ls"]);
  expect(states.map(({ phase }) => phase)).toEqual(["connecting", "open"]);
});

test("a shell that has ended says how, and a new one is opened by hand alone", async () => {
  const { link, clock, states, session } = open();
  runs(link);
  link.last.gives('{"status":"Failure","details":{"causes":[{"reason":"ExitCode","message":"3"}]}}', status);
  link.last.ends(1000);
  expect(states.at(-1)).toEqual({ phase: "exited", code: 3 });
  await clock.advance(60_000);
  expect(link.opened.length).toBe(1);
  session.restart();
  expect(link.opened.length).toBe(2);
});

test("a lost connection brings a new shell, later each time", async () => {
  const { link, clock, states } = open();
  runs(link);
  link.last.ends(1006);
  await expect.poll(() => states.at(-1)?.phase).toBe("waiting");
  for (const tries of [2, 3, 4]) {
    await clock.advance(8_000);
    expect(link.opened.length).toBe(tries);
    link.last.ends(1006);
    await expect.poll(() => states.at(-1)?.phase).toBe("waiting");
  }
  await clock.advance(8_000);
  runs(link);
  expect(states.at(-1)).toEqual({ phase: "open" });
});

test("a shell that was lost, and is refused when it is opened again, has run all the same", async () => {
  const { link, clock, states } = open();
  runs(link);
  link.last.ends(1006);
  await expect.poll(() => states.at(-1)?.phase).toBe("waiting");
  await clock.advance(8_000);
  link.failure = failureOf(403, "why");
  link.last.ends(1006);
  await expect.poll(() => states.at(-1)).toMatchObject({ phase: "refused", hasRun: true });
});

test.each([
  ["a grant that was taken back", 403],
  ["a session that is over", 401],
  ["a pod that is gone", 404],
])("%s ends it for good", async (_, code) => {
  const { link, clock, states } = open();
  runs(link);
  link.failure = failureOf(code, "why");
  link.last.ends(1006);
  await expect
    .poll(() => states.at(-1))
    .toMatchObject({ phase: "refused", failure: { status: code }, hasRun: true });
  await clock.advance(60_000);
  expect(link.opened.length).toBe(1);
});

test("an agent that is away is waited for", async () => {
  const { link, states } = open();
  runs(link);
  link.failure = failureOf(503, "The agent is not connected.");
  link.last.ends(1006);
  await expect
    .poll(() => states.at(-1))
    .toMatchObject({ phase: "waiting", failure: { code: "AgentOffline" } });
});

test("a container without a shell is told apart from one that cannot be reached", () => {
  const { link, states } = open();
  link.last.opens();
  link.last.gives(
    '{"status":"Failure","message":"exec: \\"sh\\": executable file not found in $PATH"}',
    status,
  );
  link.last.ends(1000);
  expect(states.at(-1)).toEqual({ phase: "noShell" });
});

test("whatever a cluster sends, the session stays", () => {
  assert(
    property(array(uint8Array({ maxLength: 20 })), (messages) => {
      const { link, states } = open();
      link.last.opens();
      for (const bytes of messages) {
        link.last.dispatchEvent(new MessageEvent("message", { data: new Uint8Array(bytes).buffer }));
      }
      expect(states.length).toBeGreaterThan(0);
    }),
  );
});
