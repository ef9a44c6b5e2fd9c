import { useState, type ReactNode } from "react";

import type { Failure } from "../../live/failure.ts";
import { AsOf, Conflict, NotObserved, SessionOverDialog, Stale } from "../../ui/data-states.tsx";
import { Button } from "../../ui/button.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Empty, Failed, FilteredEmpty, Forbidden, Offline, Waiting } from "../../ui/states.tsx";

const failure: Failure = {
  status: 500,
  code: "Internal",
  message: "Something went wrong in the server; its log has more under the id of this request.",
  requestId: "019a8f2b-0000-7000-8000-000000000000",
  isPassing: true,
  isOfCluster: false,
};

const byRole: Failure = {
  ...failure,
  status: 403,
  code: "Forbidden",
  message:
    'You may not create accessgrants: you are "viewer" with the role viewer, and it takes the role admin.',
};

const byGrant: Failure = {
  ...byRole,
  hop: "server",
  message:
    "The AccessGrants of viewer for the cluster edge are for other namespaces; they do not cover to list pods in the namespace shop.",
};

const byCluster: Failure = {
  ...byRole,
  isOfCluster: true,
  message:
    'pods is forbidden: User "viewer" cannot list resource "pods" in API group "" in the namespace "shop"',
};

const openedMs = Date.now();

function ago(ms: number): string {
  return new Date(openedMs - ms).toISOString();
}

const away: Failure = {
  ...failure,
  status: 503,
  code: "AgentOffline",
  hop: "agent",
  message: "The agent of the cluster edge is not connected.",
  lastSeenAt: ago(754_000),
};

const invalid: Failure = {
  ...failure,
  status: 422,
  code: "Invalid",
  message: "The AccessGrant is not valid.",
  fields: [{ path: "spec.subjects", message: "must have at least 1 item" }],
};

const base = { role: "viewer", groups: ["developers"] };
const nothing = (): void => {};

/** Every state of a screen at once: for the tests of accessibility, and to look at. Only in the development build. */
export function StatesPage(): ReactNode {
  const [isOver, setOver] = useState(false);
  return (
    <main className="pb-8">
      <PageHead title="States" />
      <Part title="Loading">
        <Waiting what="the clusters" waitedMs={150} />
        <Waiting what="the clusters" waitedMs={5_000} />
        <Waiting what="the clusters" waitedMs={15_000} />
      </Part>
      <Part title="Empty">
        <Empty>
          No cluster yet. <code>bowline cluster add NAME | kubectl apply -f -</code> joins one.
        </Empty>
        <FilteredEmpty hidden={3_120} onClear={nothing} />
      </Part>
      <Part title="Forbidden">
        <Forbidden failure={byRole} admins={["admin"]} />
        <Failed failure={byGrant} missing="list pods in shop on edge" admins={["admin"]} />
        <Failed failure={byCluster} missing="list pods in shop on edge" />
      </Part>
      <Part title="Offline">
        <Offline failure={away} onRetry={nothing}>
          <p className="px-4">
            12 pods as of then. <Button>Restart</Button>
          </p>
        </Offline>
      </Part>
      <Part title="Stale">
        <div className="space-x-2 px-4">
          <Stale heardAt={ago(18_000)} />
          <Stale heardAt={ago(45_000)} isReconnecting onReconnect={nothing} />
        </div>
      </Part>
      <Part title="Not observed">
        <NotObserved
          total={14}
          gaps={[
            { what: "edge", why: "the agent is away", since: ago(754_000) },
            { what: "prod / secrets", why: "the agent may not read them" },
          ]}
        />
      </Part>
      <Part title="As of a time">
        <AsOf atMs={Date.parse("2026-07-01T12:00:00Z")} onNow={nothing}>
          <p className="p-4">3 pods.</p>
        </AsOf>
      </Part>
      <Part title="Conflict">
        <Conflict
          base={base}
          yours={{ ...base, role: "editor", groups: ["developers", "shop"] }}
          theirs={{ ...base, role: "admin" }}
          onKeep={nothing}
          onRedo={nothing}
        />
      </Part>
      <Part title="Error">
        <Failed failure={failure} onRetry={nothing} />
        <Failed failure={invalid} />
      </Part>
      <Part title="Session over">
        <div className="px-4">
          <Button onClick={() => setOver(true)}>Show the dialog</Button>
        </div>
        {isOver && (
          <SessionOverDialog onClose={() => setOver(false)}>
            <Button look="main" onClick={() => setOver(false)}>
              Sign in
            </Button>
          </SessionOverDialog>
        )}
      </Part>
    </main>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <section aria-label={title} className="mx-2 mt-4">
      <h2 className="px-2 pb-1 text-xs text-muted">{title}</h2>
      {children}
    </section>
  );
}
