import { AccessGrant, Cluster, isGrantFor, isGrantIn, isGrantInForce, User, type Whoami } from "@bowline/api";
import { Link } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { useNowMs } from "../../live/now.ts";
import { cleanText } from "../../text/clean-text.ts";
import { ageOf } from "../../text/time.ts";
import { isInTheWay, ListState } from "../../ui/list-state.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Loading } from "../../ui/states.tsx";
import { TokenList } from "../access/token-list.tsx";
import { useWhoami } from "../session.ts";
import { PreferenceForm } from "./preference-form.tsx";
import { SessionList } from "./session-list.tsx";

/** Who one is here, what one may do, from where, and how one likes the page. */
export function Me(): ReactNode {
  const { data: me } = useWhoami();
  return (
    <>
      <PageHead title="Me" />
      <div className="relative min-h-0 flex-1 space-y-8 overflow-auto p-4">
        {me === undefined ? <Loading what="who you are" /> : <Parts me={me} />}
      </div>
    </>
  );
}

function Parts({ me }: { me: Whoami }): ReactNode {
  const obstacle = useTokenObstacle(me);
  return (
    <>
      <Part title="Who I am">
        <dl className="grid max-w-2xl grid-cols-[8rem_1fr] gap-y-1">
          <Fact name="User">{cleanText(me.user)}</Fact>
          <Fact name="Role">{me.role}</Fact>
          <Fact name="Groups">{me.groups.length === 0 ? "none" : cleanText(me.groups.join(", "))}</Fact>
          <Fact name="Signed in">
            {me.method === "oidc" ? "at the OIDC issuer" : `with the token ${cleanText(me.token ?? "")}`}
          </Fact>
        </dl>
      </Part>
      <Part title="My grants">
        <MyGrants me={me} />
      </Part>
      <Part title="My sessions">
        <SessionList me={me} />
      </Part>
      <Part title="My tokens">
        <TokenList me={me} user={me.user} unable={obstacle} />
      </Part>
      <Part title="This page">
        <PreferenceForm />
      </Part>
    </>
  );
}

/** Tokens belong to Users, and somebody whom only the issuer knows is none. */
function useTokenObstacle({ user, method }: Whoami): string | undefined {
  const { items, phase } = useObjects(User);
  if (method !== "oidc" || phase !== "live") return undefined;
  if ([...items.values()].some(({ metadata }) => metadata.name === user)) return undefined;
  return `Tokens belong to Users, and there is none of your name here. A command line signs in for a day at a time with bowline login --oidc; for more, an admin can make a User.`;
}

function Part({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <section aria-label={title}>
      <h2 className="mb-2 text-lg">{title}</h2>
      {children}
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </>
  );
}

/** Each grant, what it reaches now, as whom and for how long. */
function MyGrants({ me }: { me: Whoami }): ReactNode {
  const nowMs = useNowMs();
  const grants = useObjects(AccessGrant);
  const clusters = useObjects(Cluster);
  const mine = useMemo(
    () => [...grants.items.values()].filter(({ spec }) => isGrantFor(spec, me)),
    [grants, me],
  );
  if (isInTheWay(grants)) return <ListState list={grants} what="the grants" />;
  if (mine.length === 0) {
    return (
      <p className="text-muted">
        None: no cluster can be reached through Bowline without an AccessGrant, by admins neither.{" "}
        {me.role === "admin" ? (
          <Link to="/access" className="underline">
            Write one
          </Link>
        ) : (
          "Ask an admin for one."
        )}
      </p>
    );
  }
  return (
    <ul className="max-w-3xl divide-y divide-border">
      {mine.map((grant) => {
        const { metadata, spec } = grant;
        const reached = [...clusters.items.values()].filter((cluster) => isGrantIn(spec, cluster));
        const names = reached.map((cluster) => cluster.metadata.name);
        const { user = me.user, groups } = spec.kubernetes;
        return (
          <li key={metadata.id} className="py-1.5">
            <span className="font-semibold">{cleanText(metadata.name)}</span>{" "}
            {!isGrantInForce(grant, nowMs) && <span className="text-missing">has ended </span>}
            <span className="text-muted">
              {names.length === 0 ? "no cluster at present" : cleanText(names.join(", "), 300)} · as{" "}
              {cleanText(user)}
              {groups.length === 0 ? "" : ` in ${cleanText(groups.join(", "), 200)}`} ·{" "}
              {spec.namespaces === undefined ? "all namespaces" : cleanText(spec.namespaces.join(", "), 200)}
              {spec.expiresAt === undefined ? "" : ` · ${untilText(spec.expiresAt, nowMs)}`}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function untilText(end: string, nowMs: number): string {
  const remainingMs = Date.parse(end) - nowMs;
  return remainingMs <= 0 ? "over" : `ends in ${ageOf(new Date(nowMs - remainingMs).toISOString(), nowMs)}`;
}
