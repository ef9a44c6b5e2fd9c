import type { ReactNode } from "react";

import { cleanText } from "./clean-text.ts";

/** The address as a browser takes it, if it leads to a page of the web and nowhere else; undefined for what does not. */
export function externalAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, username, password, href } = new URL(text);
  const isWeb = protocol === "https:" || protocol === "http:";
  return isWeb && username === "" && password === "" ? href : undefined;
}

export interface ExternalLinkProps {
  readonly address: string | undefined;
  /** What is shown; the address itself is told when somebody points at it. */
  readonly text: string;
}

/** The one way out of the console to a place that somebody else has named; just text where the name is no such place. */
export function ExternalLink({ address, text }: ExternalLinkProps): ReactNode {
  const href = address === undefined ? undefined : externalAddress(address);
  if (href === undefined) return <span className="font-mono">{cleanText(text, 253)}</span>;
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      title={cleanText(href, 500)}
      className="inline-block min-h-6 font-mono"
      // In a row, it is the link that was meant and not the row.
      onClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => {
        if (event.key === "Enter") event.stopPropagation();
      }}
    >
      {cleanText(text, 253)}
      <span aria-hidden="true"> ↗</span>
      <span className="sr-only">, opens in another tab</span>
    </a>
  );
}
