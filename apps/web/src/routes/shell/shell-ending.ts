import type { ExecState } from "../../kube/exec-session.ts";
import type { Failure } from "../../live/failure.ts";

/** What the state of a shell means to whoever sits before it. */
export interface ShellEnding {
  readonly title: string;
  readonly text: string;
  /** Whether it is worth trying again, and what that is called. */
  readonly again: string | undefined;
}

/** Undefined while a shell is open, or on its way. */
export function shellEnding(state: ExecState): ShellEnding | undefined {
  switch (state.phase) {
    case "exited":
      return {
        title: state.code === 0 ? "The shell has ended" : `The shell has ended with code ${state.code}`,
        text: state.code === 137 ? "Its container was stopped, or it was killed." : "",
        again: "New shell",
      };
    case "noShell":
      return {
        title: "This container has no shell",
        text: "Its image has neither bash nor sh. kubectl debug puts a container with one beside it.",
        again: undefined,
      };
    case "refused":
      return refusal(state.failure, state.hasRun);
    case "waiting":
      return state.failure === undefined
        ? {
            title: "The connection was lost",
            text: "A new shell is opened as soon as there is one; what ran in the old one has ended.",
            again: "Try now",
          }
        : {
            title: isAway(state.failure) ? "The cluster's agent is offline" : "The cluster cannot be reached",
            text: `${state.failure.message} A new shell is opened when it is back.`,
            again: "Try now",
          };
    case "connecting":
    case "open":
      return undefined;
    default:
      return state satisfies never;
  }
}

function isAway({ code, message }: Failure): boolean {
  return code === "AgentOffline" || /agent .*not connected/iu.test(message);
}

function refusal({ status, message }: Pick<Failure, "status" | "message">, hasRun: boolean): ShellEnding {
  if (status === 401)
    return { title: "Your session is over", text: "Sign in again to go on.", again: "New shell" };
  if (status === 403) {
    const title = hasRun ? "Your access has ended, and the shell with it" : "You may not open a shell here";
    return { title, text: message, again: "Try again" };
  }
  if (status === 404) return { title: "The pod is gone", text: message, again: "Try again" };
  return { title: "There is no shell to be had", text: message, again: "Try again" };
}
