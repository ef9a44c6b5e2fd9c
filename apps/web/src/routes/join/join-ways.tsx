import { useState, type KeyboardEvent, type ReactNode } from "react";

import { useNowMs } from "../../live/now.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { saveText } from "../../ui/save-file.ts";
import { applyCommand, cliCommand, maskToken, remainingText, runCommand } from "./join-commands.ts";
import type { JoinInput } from "./join-input.ts";
import type { KeptToken } from "./join-token.ts";

export interface JoinWaysProps {
  readonly input: Pick<JoinInput, "name"> &
    Partial<Pick<JoinInput, "labels" | "region" | "rights" | "image">>;
  readonly token: KeptToken | undefined;
  readonly isBusy: boolean;
  readonly onNewToken: () => void;
}

const ways = [
  { id: "cli", name: "Command line" },
  { id: "manifest", name: "Manifest" },
  { id: "here", name: "Try it here" },
] as const;
type Way = (typeof ways)[number]["id"];

/** How the agent gets into the cluster, by one's choice. */
export function JoinWays(props: JoinWaysProps): ReactNode {
  const [way, setWay] = useState<Way>("cli");
  const onKey = (event: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    const at = ways.findIndex(({ id }) => id === way);
    const next = ways[(at + by + ways.length) % ways.length]?.id ?? way;
    setWay(next);
    document.getElementById(`way-${next}`)?.focus();
  };
  return (
    <div>
      <div role="tablist" aria-label="Ways to join" className="flex gap-4 border-b border-border">
        {ways.map(({ id, name }) => (
          <button
            key={id}
            id={`way-${id}`}
            type="button"
            role="tab"
            aria-selected={way === id}
            aria-controls="way"
            tabIndex={way === id ? 0 : -1}
            className={`-mb-px border-b-2 py-2 ${way === id ? "border-accent font-semibold" : "border-transparent"}`}
            onClick={() => setWay(id)}
            onKeyDown={onKey}
          >
            {name}
          </button>
        ))}
      </div>
      <div id="way" role="tabpanel" aria-labelledby={`way-${way}`} className="space-y-3 py-3">
        {way === "cli" && <CommandLine {...props} />}
        {way === "manifest" && <Manifest {...props} />}
        {way === "here" && <Here {...props} />}
      </div>
    </div>
  );
}

function CommandLine({ input }: JoinWaysProps): ReactNode {
  return (
    <>
      <p>Where kubectl reaches the cluster and you are signed in with the command line:</p>
      <Command text={cliCommand(input)} what="the command" />
      <p className="text-muted">
        It makes a token of its own, and goes on with the cluster that you have created.
      </p>
    </>
  );
}

function Here({ input }: JoinWaysProps): ReactNode {
  return (
    <>
      <p>Runs the agent in your terminal, for a cluster of your kubeconfig, until Ctrl-C:</p>
      <Command text={runCommand(input)} what="the command" />
      <p className="text-muted">The same command connects it again. Nothing is put into the cluster.</p>
    </>
  );
}

function Manifest({ input, token, isBusy, onNewToken }: JoinWaysProps): ReactNode {
  const nowMs = useNowMs();
  const remaining = token === undefined ? undefined : remainingText(token.expiresAt, nowMs);
  const renew = (
    <Button disabled={isBusy} onClick={onNewToken}>
      New token
    </Button>
  );
  if (token?.manifest === undefined || remaining === undefined) {
    return (
      <>
        <p>{token === undefined ? "A token is shown once, where it was made." : "The token has run out."}</p>
        {renew}
      </>
    );
  }
  const { manifest } = token;
  const file = `${input.name}-agent.yaml`;
  return (
    <>
      <p>Save the file, and apply it with the context of the cluster:</p>
      <Command text={applyCommand(file)} what="the command" />
      <div className="flex flex-wrap items-center gap-3">
        <Button look="main" onClick={() => saveText(file, manifest, "application/yaml")}>
          Save {file}
        </Button>
        <CopyButton text={manifest} what="the manifest" />
        <span>
          The token in it works for <span className="font-semibold">{remaining}</span>, once.
        </span>
        {renew}
      </div>
      <p className="text-missing">
        Treat the file as a password until the agent has joined: whoever has it can join as {input.name}.
      </p>
      <details>
        <summary className="min-h-6 cursor-pointer">Look at it, without the token</summary>
        <pre
          // A long text that can be scrolled has to be reached by key.
          // oxlint-disable-next-line no-noninteractive-tabindex
          tabIndex={0}
          aria-label="The manifest"
          className="mt-2 max-h-96 overflow-auto rounded-sm bg-surface p-2 font-mono text-xs"
        >
          {maskToken(manifest, token.token)}
        </pre>
      </details>
    </>
  );
}

function Command({ text, what }: { text: string; what: string }): ReactNode {
  return (
    <div className="flex flex-wrap items-center gap-3 rounded-sm bg-surface p-2">
      <code className="min-w-0 flex-1 font-mono wrap-anywhere">{text}</code>
      <CopyButton text={text} what={what} />
    </div>
  );
}
