import { useEffect, useRef, useState, type ReactNode } from "react";

import { clusterLink } from "../../kube/cluster-socket.ts";
import { ExecSession, type ExecState } from "../../kube/exec-session.ts";
import type { PodPlace } from "../../kube/pod-paths.ts";
import type { Failure } from "../../live/failure.ts";
import { pageClock } from "../../live/page-clock.ts";
import { failureIn } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import { shellEnding } from "./shell-ending.ts";
import type { ShellTerminal } from "./terminal.ts";
import { useContainers } from "./use-containers.ts";

export type ShellViewProps = PodPlace;

interface OpenShell {
  readonly session: ExecSession;
  readonly terminal: ShellTerminal;
}

/** A shell in a container of a pod: the one that is named, or the first, with the others to choose from. */
export function ShellView({ cluster, namespace, pod, container }: ShellViewProps): ReactNode {
  const containers = useContainers(cluster, namespace, pod);
  const [chosen, setChosen] = useState<string>();
  const current = chosen ?? container ?? containers?.[0];
  if (current === undefined && containers === undefined) return <Loading what="the pod" />;
  return (
    <ContainerShell
      key={current}
      {...{ cluster, namespace, pod, container: current }}
      choice={
        containers !== undefined && containers.length > 1 ? (
          <select
            aria-label="Container"
            value={current}
            className="min-h-6 rounded-sm border border-control bg-bg px-1 text-text"
            onChange={(event) => setChosen(event.target.value)}
          >
            {containers.map((name) => (
              <option key={name} value={name}>
                {cleanText(name, 100)}
              </option>
            ))}
          </select>
        ) : null
      }
    />
  );
}

/** Takes the height that it is given. */
function ContainerShell(props: ShellViewProps & { readonly choice: ReactNode }): ReactNode {
  const { cluster, namespace, pod, container, choice } = props;
  const place = useRef<HTMLDivElement>(null);
  const leave = useRef<HTMLButtonElement>(null);
  const open = useRef<OpenShell>(undefined);
  const [state, setState] = useState<ExecState>({ phase: "connecting" });
  const [pasted, setPasted] = useState<string>();
  /** The script of the terminal did not come; a browser asks for it again when the page is loaded anew. */
  const [unloaded, setUnloaded] = useState<Failure>();
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    let isClosed = false;
    const start = async (): Promise<void> => {
      const { ShellTerminal } = await import("./terminal.ts");
      if (isClosed) return;
      open.current = startShell(
        element,
        { cluster, namespace, pod, container },
        {
          make: (options) => new ShellTerminal(options),
          onState: setState,
          onPaste: setPasted,
          onLeave: () => leave.current?.focus(),
        },
      );
    };
    void start().catch((error: unknown) => {
      if (!isClosed) setUnloaded(failureIn(error));
    });
    return () => {
      isClosed = true;
      open.current?.session.close();
      open.current?.terminal.close();
      open.current = undefined;
    };
  }, [cluster, namespace, pod, container]);
  const ending = shellEnding(state);
  const again = (): void => {
    open.current?.session.restart();
    open.current?.terminal.focus();
  };
  return (
    <section aria-label={`Shell in ${cleanText(pod, 100)}`} className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-border bg-surface px-2 py-1 text-xs text-muted">
        <span role="status">{unloaded === undefined ? stateText(state) : "No terminal"}</span>
        {choice}
        <FindField onFind={(text, isBelow) => open.current?.terminal.find(text, isBelow) ?? false} />
        <button ref={leave} type="button" className="ml-auto" onClick={() => open.current?.terminal.focus()}>
          <kbd>Ctrl Alt Esc</kbd> leaves the terminal
        </button>
      </div>
      {unloaded !== undefined && <Failed failure={unloaded} onRetry={() => location.reload()} />}
      <div className="relative min-h-40 flex-1 overflow-hidden bg-bg p-1">
        <div ref={place} className="size-full font-mono" />
      </div>
      {ending !== undefined && (
        <div
          role="alert"
          className="flex flex-wrap items-center gap-3 border-t border-border bg-surface px-3 py-2"
        >
          <span>
            <span className="font-semibold">{ending.title}.</span> {cleanText(ending.text, 500)}
          </span>
          {ending.again !== undefined && (
            <button type="button" className="rounded-sm border border-control px-3 py-1" onClick={again}>
              {ending.again}
            </button>
          )}
        </div>
      )}
      {pasted !== undefined && (
        <PasteQuestion
          text={pasted}
          onClose={(isWanted) => {
            setPasted(undefined);
            if (isWanted) open.current?.terminal.paste(pasted);
            // The dialog gives the focus back to where it was, when it is gone.
            requestAnimationFrame(() => open.current?.terminal.focus());
          }}
        />
      )}
    </section>
  );
}

interface ShellParts {
  readonly make: (options: ConstructorParameters<typeof ShellTerminal>[0]) => ShellTerminal;
  readonly onState: (state: ExecState) => void;
  readonly onPaste: (text: string) => void;
  readonly onLeave: () => void;
}

function startShell(element: HTMLElement, place: PodPlace, parts: ShellParts): OpenShell {
  let hasEnded = false;
  // The terminal finds its size before there is anybody to tell.
  const shell: { session?: ExecSession } = {};
  const terminal = parts.make({
    element,
    onInput: (text) => shell.session?.send(text),
    onResize: (columns, rows) => shell.session?.resize(columns, rows),
    onPaste: parts.onPaste,
    onLeave: parts.onLeave,
  });
  const session = new ExecSession({
    link: clusterLink,
    clock: pageClock,
    random: Math.random,
    place,
    onOutput: (bytes) => terminal.write(bytes),
    onState: (state) => {
      if (state.phase === "open" && hasEnded) terminal.divide("a new shell");
      const ending = shellEnding(state);
      if (ending !== undefined && !hasEnded) terminal.divide(cleanText(ending.title, 200));
      if (ending !== undefined) hasEnded = true;
      if (state.phase === "open") {
        hasEnded = false;
        terminal.focus();
      }
      parts.onState(state);
    },
  });
  shell.session = session;
  const { columns, rows } = terminal.size;
  session.resize(columns, rows);
  return { session, terminal };
}

/** Searches what stands in the terminal, from the end upwards. */
function FindField({ onFind }: { onFind: (text: string, isBelow: boolean) => boolean }): ReactNode {
  const [isMissing, setMissing] = useState(false);
  return (
    <span className="flex items-center gap-2">
      <input
        type="search"
        aria-label="Find in the terminal"
        placeholder="Find"
        className="w-36 rounded-sm border border-control bg-bg px-2 py-0.5 text-text"
        onChange={() => setMissing(false)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.currentTarget.value === "") return;
          setMissing(!onFind(event.currentTarget.value, event.shiftKey));
        }}
      />
      <output>{isMissing ? "Not there" : ""}</output>
    </span>
  );
}

function stateText({ phase }: ExecState): string {
  if (phase === "open") return "Connected";
  if (phase === "connecting") return "Connecting";
  return phase === "waiting" ? "Reconnecting" : "Ended";
}

const shownLines = 20;

function PasteQuestion({ text, onClose }: { text: string; onClose: (isWanted: boolean) => void }): ReactNode {
  const lines = text.trimEnd().split(/\r?\n|\r/u);
  return (
    <Dialog title={`Paste ${lines.length} lines into the shell?`} onClose={() => onClose(false)}>
      <p className="text-muted">Each line runs as soon as it is pasted.</p>
      <pre className="my-3 max-h-60 overflow-auto bg-surface p-2 font-mono">
        {lines
          .slice(0, shownLines)
          .map((line) => cleanText(line, 200))
          .join("\n")}
        {lines.length > shownLines ? `\n… and ${lines.length - shownLines} more` : ""}
      </pre>
      <span className="flex gap-3">
        <button
          type="button"
          className="rounded-sm bg-accent px-3 py-1 text-on-accent"
          onClick={() => onClose(true)}
        >
          Paste {lines.length} lines
        </button>
        <button
          type="button"
          className="rounded-sm border border-control px-3 py-1"
          onClick={() => onClose(false)}
        >
          Do not paste
        </button>
      </span>
    </Dialog>
  );
}
