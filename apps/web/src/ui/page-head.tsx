import { useEffect, useRef, type ReactNode } from "react";

/** The one line at the top of a screen: where one is, and what can be done there. */
export function PageHead({ title, children }: { title: string; children?: ReactNode }): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Bowline`;
    heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <header className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-border px-4 py-2">
      <h1 ref={heading} tabIndex={-1} className="text-lg outline-none">
        {title}
      </h1>
      {children}
    </header>
  );
}
