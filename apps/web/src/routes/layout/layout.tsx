import { Link, Outlet, useNavigate } from "@tanstack/react-router";
import { useMemo, useState, type ReactNode } from "react";

import { useLiveLists } from "../../live/live-context.tsx";
import { cleanText } from "../../text/clean-text.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Dock } from "../../ui/dock.tsx";
import { activeKeys, useKeys, type KeyAction } from "../../ui/keys.ts";
import { usePalette } from "../palette/use-palette.tsx";
import { signOut, useWhoami } from "../session.ts";
import { ConnectionPill } from "./connection-pill.tsx";
import { SessionOver, useOnlyOwnSession, useSessionOver } from "./session-over.tsx";

/** The places of the menu, with the second key of `g …`. */
const places = [
  { to: "/", name: "Fleet", key: "f" },
  { to: "/clusters", name: "Clusters", key: "c" },
  { to: "/workloads", name: "Workloads", key: "w" },
  { to: "/gateways", name: "Gateways", key: "h" },
  { to: "/domains", name: "Domain names", key: "d" },
  { to: "/sources", name: "Sources", key: "s" },
  { to: "/events", name: "Events", key: "e" },
  { to: "/graph", name: "Graph", key: "g" },
  { to: "/ask", name: "Questions", key: "q" },
  { to: "/monitoring", name: "Monitoring", key: "m" },
  { to: "/audit", name: "Audit", key: "a" },
  { to: "/access", name: "Access", key: "u" },
  { to: "/me", name: "Me", key: "i" },
] as const;

/** What is around every screen. */
export function Layout(): ReactNode {
  const navigate = useNavigate();
  const { streams } = useLiveLists();
  const isOver = useSessionOver();
  useOnlyOwnSession();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const actions = useMemo(
    (): KeyAction[] => [
      { keys: "?", does: "Show these keys", run: () => setHelpOpen(true) },
      ...places.map(({ to, name, key }) => ({
        keys: `g ${key}`,
        does: `Go to ${name.toLowerCase()}`,
        run: () => void navigate({ to }),
      })),
    ],
    [navigate],
  );
  useKeys(actions);
  const { palette, openPalette } = usePalette({
    pages: places,
    actions: [
      { name: "Create a cluster", run: () => void navigate({ to: "/clusters", search: { new: true } }) },
      { name: "Join a cluster", run: () => void navigate({ to: "/clusters/add" }) },
      { name: "Show the keys", run: () => setHelpOpen(true) },
      { name: "Sign out", run: () => void signOut(streams) },
    ],
  });
  return (
    <div className="flex h-dvh flex-col md:flex-row">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-raised focus:p-2"
      >
        Skip to the content
      </a>
      <Rail onHelp={() => setHelpOpen(true)} onFind={openPalette} />
      <main id="main" tabIndex={-1} className="flex min-h-0 min-w-0 flex-1 flex-col">
        <Outlet />
        <Dock />
      </main>
      {isHelpOpen && <KeyHelp actions={activeKeys()} onClose={() => setHelpOpen(false)} />}
      {palette}
      {isOver && <SessionOver />}
    </div>
  );
}

function Rail({ onHelp, onFind }: { onHelp: () => void; onFind: () => void }): ReactNode {
  const { data: me } = useWhoami();
  const { streams } = useLiveLists();
  return (
    <nav
      aria-label="Main"
      className="flex shrink-0 items-center gap-1 overflow-x-auto border-b border-border bg-surface p-2 md:w-[200px] md:flex-col md:items-stretch md:border-r md:border-b-0"
    >
      <span className="px-2 py-1 text-lg font-semibold">Bowline</span>
      <button
        type="button"
        className="min-h-6 rounded-sm border border-control px-2 text-left text-xs whitespace-nowrap text-muted"
        onClick={onFind}
      >
        Find … (Ctrl K)
      </button>
      {places.map(({ to, name }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === "/" }}
          className="rounded-sm px-2 py-1 text-text no-underline hover:bg-raised"
          activeProps={{ className: "bg-raised font-semibold", "aria-current": "page" }}
        >
          {name}
        </Link>
      ))}
      <div className="ml-auto flex items-center gap-3 md:mt-auto md:ml-0 md:flex-col md:items-stretch md:p-2">
        <ConnectionPill />
        {me !== undefined && (
          <span className="truncate text-xs text-muted">
            {cleanText(me.user)} · {me.role}
          </span>
        )}
        <button type="button" className="shrink-0 text-left text-xs text-accent" onClick={onHelp}>
          Keys ( ? )
        </button>
        <button
          type="button"
          className="shrink-0 text-left text-xs text-accent"
          onClick={() => void signOut(streams)}
        >
          Sign out
        </button>
      </div>
    </nav>
  );
}

function KeyHelp({ actions, onClose }: { actions: readonly KeyAction[]; onClose: () => void }): ReactNode {
  const ofLists = [
    { keys: "Ctrl K", does: "Find anything" },
    { keys: "/", does: "Filter the list" },
    { keys: "j k ↑ ↓ Home End", does: "Move in a list" },
    { keys: "Enter", does: "Open" },
    { keys: "r", does: "Show what has changed meanwhile" },
    { keys: "Esc", does: "Close, or leave the field" },
  ];
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="grid grid-cols-[10rem_1fr] gap-y-1">
        {[...actions, ...ofLists].map(({ keys, does }) => (
          <div key={keys} className="contents">
            <dt className="font-mono">{keys}</dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
