import type { Cluster, DeletionPlan, RevokedAgents } from "@bowline/api";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";

import { failureIn } from "../../live/answers.ts";
import type { Failure } from "../../live/failure.ts";
import { request } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmByName } from "../../ui/confirm-by-name.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import { isMade } from "../making/making.ts";
import { useWhoami } from "../session.ts";

type Action = "rotate" | "revoke" | "delete";

/** What can be done to a cluster, for those who may change it. */
export function ClusterActions({ cluster }: { cluster: Cluster }): ReactNode {
  const { name } = cluster.metadata;
  const { data: me } = useWhoami();
  const [action, setAction] = useState<Action>();
  const [said, setSaid] = useState("");
  const close = (): void => setAction(undefined);
  if (me === undefined || me.role === "viewer") {
    return <span className="text-xs text-muted">To change it takes the role editor.</span>;
  }
  return (
    <span className="flex items-center gap-2">
      <span role="status">{said}</span>
      <Button onClick={() => setAction("rotate")}>Rotate key</Button>
      <Button look="danger" onClick={() => setAction("revoke")}>
        Revoke agents
      </Button>
      <Button look="danger" onClick={() => setAction("delete")}>
        Delete
      </Button>
      {action === "rotate" && <Rotate name={name} onClose={close} />}
      {action === "revoke" && (
        <Revoke
          name={name}
          onClose={close}
          onDone={({ keys, joinTokens }) => {
            setSaid(`Revoked: keys ${keys}, join tokens ${joinTokens}.`);
            close();
          }}
        />
      )}
      {action === "delete" && <Delete cluster={cluster} onClose={close} />}
    </span>
  );
}

interface ActionProps {
  readonly name: string;
  readonly onClose: () => void;
}

/** The old key works until the agent has joined again, so there is nothing to confirm. */
function Rotate({ name, onClose }: ActionProps): ReactNode {
  const commands = [
    `bowline cluster rotate ${name} | kubectl apply -f -`,
    "kubectl -n bowline-system rollout restart deployment/bowline-agent",
  ];
  return (
    <Dialog title={`Rotate the key of ${cleanText(name, 63)}`} onClose={onClose}>
      <p className="mb-3">
        The agent makes a new key when it joins again. The one from before works until then, and no longer.
        With the context of the cluster:
      </p>
      {commands.map((command) => (
        <p key={command} className="mb-2 flex items-center gap-3 rounded-sm bg-surface p-2">
          <code className="min-w-0 flex-1 wrap-anywhere">{command}</code>
          <CopyButton text={command} what="the command" />
        </p>
      ))}
      <p className="text-muted">
        An agent that runs in a terminal is stopped first; then{" "}
        <code>bowline cluster rotate {name} --run</code> starts it.
      </p>
    </Dialog>
  );
}

function Revoke({
  name,
  onClose,
  onDone,
}: ActionProps & { readonly onDone: (revoked: RevokedAgents) => void }): ReactNode {
  const { run, isBusy, failure } = useAction(async () =>
    onDone(
      await request<RevokedAgents>(`/api/v1/clusters/${encodeURIComponent(name)}/revoke-agents`, {
        method: "POST",
      }),
    ),
  );
  return (
    <ConfirmByName
      title={`Revoke the agents of ${cleanText(name, 63)}`}
      name={name}
      action="Revoke agents"
      isBusy={isBusy}
      onConfirm={() => void run()}
      onClose={onClose}
    >
      <p>
        Connections are closed at once, shells and logs with them, and keys and unused join tokens stop
        working for good. A new join token lets an agent in again.
      </p>
      {failure !== undefined && <Failed failure={failure} />}
    </ConfirmByName>
  );
}

function Delete({ cluster, onClose }: { cluster: Cluster; onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const { name } = cluster.metadata;
  const path = `/api/v1/clusters/${encodeURIComponent(name)}?cascade=true`;
  const { data: plan, error } = useQuery({
    queryKey: ["deletion-plan", name],
    queryFn: ({ signal }) => request<DeletionPlan>(`${path}&dryRun=true`, { method: "DELETE", signal }),
    gcTime: 0,
    staleTime: 0,
  });
  const { run, isBusy, failure } = useAction(async () => {
    await request(path, { method: "DELETE" });
    // How far the provider is with taking it away, its page tells until it is gone.
    if (isMade(cluster)) onClose();
    else await navigate({ to: "/clusters" });
  });
  const refusal = failureIn(error);
  if (refusal !== undefined) {
    return (
      <Dialog title={`Delete ${cleanText(name, 63)}`} onClose={onClose}>
        <Failed failure={refusal} />
      </Dialog>
    );
  }
  return (
    <ConfirmByName
      title={`Delete ${cleanText(name, 63)}`}
      name={name}
      action="Delete"
      isBusy={isBusy || plan === undefined}
      onConfirm={() => void run()}
      onClose={onClose}
    >
      {isMade(cluster) && <p>{takenAway(cluster)}</p>}
      <p>
        Bowline forgets the cluster and revokes its agent, and what refers to it is changed or goes with it:
      </p>
      {plan === undefined ? <Loading what="what else would change" /> : <Plan steps={plan.steps} />}
      {failure !== undefined && <Failed failure={failure} />}
    </ConfirmByName>
  );
}

/** What becomes of the machines. */
function takenAway({ spec: { provider, deletionPolicy }, status }: Cluster): string {
  if (deletionPolicy === "orphan")
    return `What ${provider} has made stays, and nobody here knows of it then.`;
  const { resources } = status.provisioning ?? {};
  const count = resources === undefined ? "" : `, ${resources.toLocaleString("en")} things in all`;
  return `What ${provider} has made is deleted with it, with all data on it${count}.`;
}

function Plan({ steps }: Pick<DeletionPlan, "steps">): ReactNode {
  return (
    <ul aria-label="What would be done" className="max-h-60 overflow-auto">
      {steps.map(({ action, kind, name }) => (
        <li key={`${kind}/${name}`}>
          {action === "delete" ? "Delete" : "Take its name out of"}{" "}
          <span className="font-mono">
            {kind}/{cleanText(name, 253)}
          </span>
        </li>
      ))}
    </ul>
  );
}

function useAction(act: () => Promise<void>): {
  readonly run: () => Promise<void>;
  readonly isBusy: boolean;
  readonly failure: Failure | undefined;
} {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const run = async (): Promise<void> => {
    setBusy(true);
    setFailure(undefined);
    try {
      await act();
    } catch (error) {
      setFailure(failureIn(error));
    } finally {
      setBusy(false);
    }
  };
  return { run, isBusy, failure };
}
