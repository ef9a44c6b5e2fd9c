/**
 * A link with a delay and a rate: every byte leaves so many milliseconds after it came, in order, and no more are under
 * way in one direction than such a link holds; then the sender has to wait. Without a delay it only passes bytes on.
 * `relay-process.ts TARGET_PORT ONE_WAY_MS MEGABITS_PER_SECOND`
 */
import { connect, createServer, type Socket } from "node:net";

import { answerCommands } from "../measure-process.ts";
import { listen } from "./listen.ts";

const [targetPort = 0, oneWayMs = 0, megabitsPerSecond = 0] = process.argv.slice(2).map(Number);
const holdsBytes = (megabitsPerSecond * 1e6 * oneWayMs) / 8 / 1000;

function delay(from: Socket, to: Socket): void {
  let underWay = 0;
  from.on("data", (chunk: Buffer) => {
    underWay += chunk.length;
    if (underWay >= holdsBytes) from.pause();
    setTimeout(() => {
      to.write(chunk, () => {
        underWay -= chunk.length;
        if (underWay < holdsBytes) from.resume();
      });
    }, oneWayMs);
  });
  from.on("end", () => setTimeout(() => to.end(), oneWayMs));
  from.on("error", () => {});
  from.on("close", () => setTimeout(() => to.destroy(), oneWayMs));
}

function passOn(from: Socket, to: Socket): void {
  from.pipe(to);
  from.on("error", () => {});
  from.on("close", () => to.destroy());
}

const server = createServer({ noDelay: true, allowHalfOpen: true }, (near) => {
  const far = connect({ port: targetPort, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
  const pass = oneWayMs === 0 ? passOn : delay;
  pass(near, far);
  pass(far, near);
});

answerCommands({ port: () => listen(server) });
