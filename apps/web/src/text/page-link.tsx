import { useRouter } from "@tanstack/react-router";
import type { MouseEvent, ReactNode } from "react";

export interface PageLinkProps {
  /** A way within the console, its parts encoded: `/c/edge/o/core/v1/pods/shop/web-1`. */
  readonly path: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A link to a page of the console whose way is made from data, and so is none that the router knows by its types. */
export function PageLink({ path, className = "", children }: PageLinkProps): ReactNode {
  const router = useRouter();
  const href = pageAddress(path);
  const open = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    router.history.push(href);
  };
  return (
    <a href={href} className={className} onClick={open}>
      {children}
    </a>
  );
}

/** Always below the console, whatever the path is. */
export function pageAddress(path: string): string {
  return `/ui/${path.replace(/^\/+/u, "")}`;
}
